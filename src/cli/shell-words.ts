import { quoteJson } from '../kernel/quoted-json.ts'
import { type PrintableText, showJsonText, showSentence } from '../kernel/shown.ts'
import { shell } from '../runtime/shell.ts'

/** A name or a path as an argument of a command to type. */
export const showArgument = (text: string): PrintableText => showSentence(shell.quote(text))

/** A JSON object as an argument of a command to type. */
export const showJsonArgument = (value: unknown): PrintableText => showJsonText(quoteJson(value))

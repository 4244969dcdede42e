import { quoteJson } from '../kernel/quoted-json.ts'
import { type PrintableText, showJsonText, showSentence } from '../kernel/shown.ts'
import { shell } from '../runtime/shell.ts'
import type { Host } from './host.ts'

/** A name or a path as an argument of a command to type. */
export const showArgument = (text: string): PrintableText => showSentence(shell.quote(text))

/** A sentence whose suggested commands, quoted or at its end, begin as this one did and use the folder that it named. */
export function asTyped(
  text: PrintableText,
  { home, program = 'assay' }: Pick<Host, 'home' | 'program'>,
): PrintableText {
  const folder = home === undefined ? '' : ` --home ${shell.quote(home)}`
  const typed = text.replaceAll(
    /(`|: |^ *)assay( [a-z][^`]*)(?=`|$)/g,
    (_, before: string, words: string) =>
      `${before}${program}${words}${/ --(?:home|help)\b/.test(words) ? '' : folder}`,
  )
  return showSentence(typed, Number.POSITIVE_INFINITY)
}

/** A JSON object as an argument of a command to type. */
export const showJsonArgument = (value: unknown): PrintableText => showJsonText(quoteJson(value))

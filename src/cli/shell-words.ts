import { type PrintableText, showName, showSentence } from '../kernel/shown.ts'

const plainWord = /^[\w.@%+:/-]+$/
const showQuoted = (text: string): PrintableText => showSentence(`'${text.replaceAll("'", `'\\''`)}'`)

/** A name as an argument of a command to type. */
export const showArgument = (name: string): PrintableText => (plainWord.test(name) ? showName(name) : showQuoted(name))

/** A path as an argument of a command to type. */
export const showPathArgument = (path: string): PrintableText =>
  plainWord.test(path) ? showSentence(path) : showQuoted(path)

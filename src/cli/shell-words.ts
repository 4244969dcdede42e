import { type PrintableText, showName, showSentence } from '../kernel/shown.ts'

/** A name as an argument of a command to type. */
export const showArgument = (name: string): PrintableText =>
  /^[\w.@%+:/-]+$/.test(name) ? showName(name) : showSentence(`'${name.replaceAll("'", `'\\''`)}'`)

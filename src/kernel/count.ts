import { line, type PrintableText, showName } from './shown.ts'

/** A count with its noun: `1 secret`, `2 secrets`. */
export const count = (n: number, word: string): PrintableText => line`${n} ${showName(n === 1 ? word : `${word}s`)}`

/** A number of things in words: `1 secret`, `2 secrets`. */
export const count = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`

import stringWidth from 'string-width'

/** ASCII and signs that the program prints itself, each of which takes one column. */
const plain = /^[ -~·→…–—─‘’“”]*$/

/** The columns that a text takes; the package needs tens of milliseconds to compile its expressions, once. */
export const widthOf = (text: string): number => (plain.test(text) ? text.length : stringWidth(text))

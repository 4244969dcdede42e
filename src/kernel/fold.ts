/** Letters whose upper case belongs to another letter: the dotless i is no i. */
const KEPT = new Set(['ı'])

/** Anything but printable ASCII. */
const BEYOND_ASCII = /[^ -~]/

/**
 * Folds letter case for comparison: Unicode full case folding of the text in NFC, so that `Straße`, `STRASSE` and a
 * decomposed spelling are equal. Computed here rather than by a database, so that all stores compare alike.
 */
export function foldCase(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase()
  let folded = ''
  for (const letter of text.normalize('NFC')) folded += KEPT.has(letter) ? letter : foldLetter(letter)
  return folded.normalize('NFC')
}

/** Letter by letter, because a sigma at the end of a word has a lower case of its own. */
const foldLetter = (letter: string): string => letter.toLowerCase().toUpperCase().toLowerCase()

/** Scripts without spaces between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Khmer}\p{sc=Lao}\p{sc=Myanmar}]/u
const letters = /[\p{L}\p{N}\p{M}]+/gu
/** A character of such a script, or a run of other characters. */
const pieces =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Khmer}\p{sc=Lao}\p{sc=Myanmar}]|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Khmer}\p{sc=Lao}\p{sc=Myanmar}]+/gu
const beyondEuropean = /[\u0e00-\uffff]/

export const isUnspaced = (word: string) => beyondEuropean.test(word) && unspaced.test(word)

/** The words of a text as written; in scripts without spaces, every character is a word. */
export function* wordsOf(text: string): Generator<string> {
  const mixed = beyondEuropean.test(text)
  for (const [run] of text.matchAll(letters)) {
    if (mixed && isUnspaced(run)) for (const [piece] of run.matchAll(pieces)) yield piece
    else yield run
  }
}

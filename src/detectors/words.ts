/** Scripts that are written without blanks between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Khmer}\p{sc=Lao}\p{sc=Myanmar}]/u
const wordPattern =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Khmer}\p{sc=Lao}\p{sc=Myanmar}]|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Khmer}\p{sc=Lao}\p{sc=Myanmar}])[\p{L}\p{N}\p{M}])+/gu

export const isUnspaced = (word: string) => unspaced.test(word)

/** The words of a text as they stand; of scripts without blanks, every character is one. */
export function* wordsOf(text: string): Generator<string> {
  for (const [word] of text.matchAll(wordPattern)) yield word
}

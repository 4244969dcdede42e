/** Characters without a shape, or that reorder others, as their codes. */
export const showInvisible = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\u115f\u1160\u3164]/gu, (character) =>
    character === '\n' || character === '\t' || character === '\u200d'
      ? character
      : `<U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`,
  )

/** The address of a page elsewhere; undefined for one that is not a web page. */
export function toWebAddress(url: string): URL | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  return parsed?.protocol === 'https:' || parsed?.protocol === 'http:' ? parsed : undefined
}

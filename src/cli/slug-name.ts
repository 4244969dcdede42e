/** A slug in words, as a name for people. */
export function toWords(slug: string): string {
  const words = slug.replaceAll('-', ' ')
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

const MAX_ADDRESS = 2_000

/** An http or https address that cannot act on the terminal, hide where it leads or carry credentials; else undefined. */
export function toHarmlessLink(text: string): string | undefined {
  if (text.length > MAX_ADDRESS || !URL.canParse(text)) return undefined
  const { protocol, username, password, href } = new URL(text)
  if ((protocol !== 'https:' && protocol !== 'http:') || username !== '' || password !== '') return undefined
  return href.length <= MAX_ADDRESS && /^[\x21-\x7e]+$/.test(href) ? href : undefined
}

const percent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

/** How platforms and authors write a value, apart from cutting it. */
export const writings: Record<string, (text: string) => string> = {
  plain: (text) => text,
  percent: (text) => percent(text),
  'percent twice': (text) => encodeURIComponent(percent(text)),
  plus: (text) => encodeURIComponent(text).replaceAll('%20', '+'),
  dashes: (text) => text.replaceAll(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, ''),
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  entities: (text) => [...text].map((character) => `&#${character.codePointAt(0)};`).join(''),
  'soft hyphens': (text) => [...text].join('\u00ad'),
  'full width': (text) => text.replace(/[!-~]/g, (character) => String.fromCodePoint(character.charCodeAt(0) + 0xfee0)),
  'beside itself': (text) => `${text}${text}`,
  glued: (text) => `Q${text}q`,
}

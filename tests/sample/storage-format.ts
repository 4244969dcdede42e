/** Pieces of the wiki's storage format. Text arguments are plain; body arguments are storage format already. */

const escapeText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const cdata = (code: string) => `<![CDATA[${code.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`

export const text = (...paragraphs: string[]) => paragraphs.map((body) => `<p>${escapeText(body)}</p>`).join('')
export const heading = (words: string, level = 2) => `<h${level}>${escapeText(words)}</h${level}>`
export const bullets = (...bodies: string[]) => `<ul>${bodies.map((body) => `<li><p>${body}</p></li>`).join('')}</ul>`
export const code = (language: string, ...lines: string[]) =>
  `<ac:structured-macro ac:name="code" ac:schema-version="1"><ac:parameter ac:name="language">${escapeText(language)}</ac:parameter><ac:plain-text-body>${cdata(lines.join('\n'))}</ac:plain-text-body></ac:structured-macro>`

/** A link to a page by its title, which need not exist. */
export const pageLink = (title: string, { space }: { space: string }) =>
  `<ac:link><ri:page ri:space-key="${space}" ri:content-title="${escapeText(title)}" /></ac:link>`
export const webLink = (address: string, label: string) => `<a href="${escapeText(address)}">${escapeText(label)}</a>`

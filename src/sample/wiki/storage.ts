/** Pieces of the wiki's storage format. Text arguments are plain; body arguments are storage format already. */

export const escapeText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

export const paragraph = (...bodies: string[]) => bodies.map((body) => `<p>${body}</p>`).join('')
export const text = (...paragraphs: string[]) => paragraph(...paragraphs.map(escapeText))
export const heading = (words: string, level = 2) => `<h${level}>${escapeText(words)}</h${level}>`
export const bullets = (...bodies: string[]) => `<ul>${bodies.map((body) => `<li><p>${body}</p></li>`).join('')}</ul>`
export const list = (...items: string[]) => bullets(...items.map(escapeText))
export const steps = (...items: string[]) =>
  `<ol>${items.map((item) => `<li><p>${escapeText(item)}</p></li>`).join('')}</ol>`

/** The first row holds the headings. */
export function table(rows: readonly (readonly string[])[]): string {
  const [head = [], ...rest] = rows
  const row = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}><p>${escapeText(cell)}</p></${tag}>`).join('')}</tr>`
  return `<table data-layout="default"><tbody>${row(head, 'th')}${rest.map((cells) => row(cells, 'td')).join('')}</tbody></table>`
}

const macro = (name: string, inner: string) =>
  `<ac:structured-macro ac:name="${name}" ac:schema-version="1">${inner}</ac:structured-macro>`
const parameter = (name: string, value: string) => `<ac:parameter ac:name="${name}">${escapeText(value)}</ac:parameter>`
const richBody = (body: string) => `<ac:rich-text-body>${body}</ac:rich-text-body>`
const cdata = (code: string) => `<![CDATA[${code.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`

export const code = (language: string, ...lines: string[]) =>
  macro('code', `${parameter('language', language)}<ac:plain-text-body>${cdata(lines.join('\n'))}</ac:plain-text-body>`)
export const noformat = (...lines: string[]) =>
  macro('noformat', `<ac:plain-text-body>${cdata(lines.join('\n'))}</ac:plain-text-body>`)
export const toc = () => macro('toc', parameter('maxLevel', '3'))
export const children = () => macro('children', parameter('all', 'false'))
export const info = (body: string) => macro('info', richBody(body))
export const warning = (body: string) => macro('warning', richBody(body))
export const note = (body: string) => macro('note', richBody(body))
export const expand = (title: string, body: string) => macro('expand', parameter('title', title) + richBody(body))
export const anchor = (name: string) => macro('anchor', `<ac:parameter ac:name="">${escapeText(name)}</ac:parameter>`)
export const status = (title: string, colour: string) =>
  macro('status', parameter('title', title) + parameter('colour', colour))

export function tasks(...items: (readonly [text: string, done: boolean])[]): string {
  const rows = items.map(
    ([body, done], index) =>
      `<ac:task><ac:task-id>${index + 1}</ac:task-id><ac:task-status>${done ? 'complete' : 'incomplete'}</ac:task-status><ac:task-body><span>${escapeText(body)}</span></ac:task-body></ac:task>`,
  )
  return `<ac:task-list>${rows.join('')}</ac:task-list>`
}

const linkBody = (label: string | undefined) =>
  label === undefined ? '' : `<ac:plain-text-link-body>${cdata(label)}</ac:plain-text-link-body>`

/** A link to a page by its title, which need not exist. */
export function pageLink(title: string, options: { space?: string; anchor?: string; label?: string } = {}): string {
  const place = options.anchor === undefined ? '' : ` ac:anchor="${escapeText(options.anchor)}"`
  const space = options.space === undefined ? '' : ` ri:space-key="${options.space}"`
  return `<ac:link${place}><ri:page${space} ri:content-title="${escapeText(title)}" />${linkBody(options.label)}</ac:link>`
}

export const attachmentLink = (filename: string, label?: string) =>
  `<ac:link><ri:attachment ri:filename="${escapeText(filename)}" />${linkBody(label)}</ac:link>`
export const image = (filename: string) =>
  `<ac:image ac:width="420"><ri:attachment ri:filename="${escapeText(filename)}" /></ac:image>`
export const userLink = (accountId: string) => `<ac:link><ri:user ri:account-id="${escapeText(accountId)}" /></ac:link>`
export const anchorLink = (name: string, label: string) =>
  `<ac:link ac:anchor="${escapeText(name)}">${linkBody(label)}</ac:link>`
export const webLink = (address: string, label: string) => `<a href="${escapeText(address)}">${escapeText(label)}</a>`

import { toCsvRecord } from '../../kernel/csv.ts'
import { removeInvisible } from '../../kernel/invisible.ts'
import { type Block, type TableBlock, type TableCell, withUtcTimes } from './blocks.ts'
import { toHarmlessLink } from './links.ts'

const isTable = (block: Block): block is TableBlock =>
  typeof block === 'object' && 'kind' in block && block.kind === 'table'

/** The rows of the first table as CSV, with the titles of its columns as header. */
export function toCsv(blocks: readonly Block[]): string {
  const found = blocks.find(isTable)
  if (found === undefined) return ''
  const toField = ({ value }: TableCell) => (typeof value === 'string' ? removeInvisible(value) : value)
  return [found.columns.map(({ title }) => title), ...found.rows.map((row) => row.map(toField))]
    .map(toCsvRecord)
    .join('')
}

/** Characters that Markdown gives a meaning within a line, and addresses that readers make into links. */
const meaning = /[\\`*_[\]<>|~&$]|:(?=\/\/)|@/g
const escapeInline = (text: string) =>
  text.replace(meaning, (character) =>
    character === ':' || character === '@' ? `&#${character.charCodeAt(0)};` : `\\${character}`,
  )
/** What makes the beginning of a paragraph into something else. */
const escapeStart = (text: string) =>
  text.replace(/^(\s*)([#+=-]|\d+(?=[.)]))/, (_, blanks: string, mark: string) =>
    /\d/.test(mark) ? `${blanks}${mark}\\` : `${blanks}\\${mark}`,
  )

const toInline = ({ text, link }: Pick<TableCell, 'text' | 'link'>): string => {
  const address =
    link === undefined ? undefined : toHarmlessLink(link)?.replace(/[()]/g, (each) => (each === '(' ? '%28' : '%29'))
  return address === undefined ? escapeInline(text) : `[${escapeInline(text)}](<${address}>)`
}

/** Blocks as Markdown. */
export function toMarkdown(blocks: readonly Block[]): string {
  return `${withUtcTimes(blocks)
    .map(toMarkdownBlock)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`
}

function toMarkdownBlock(block: Block): string {
  if (typeof block === 'string') return block === '' ? '' : `${escapeStart(escapeInline(block.trim()))}  `
  if (!('kind' in block)) {
    const spans = 'text' in block ? [block] : block
    const text = spans.map((span) => (typeof span === 'string' ? escapeInline(span) : toInline(span))).join('')
    return text.trim() === '' ? '' : `${escapeStart(text.trim())}  `
  }
  switch (block.kind) {
    case 'table': {
      const rule = block.columns.map(({ align }) => (align === 'right' ? '---:' : '---'))
      const rows = [
        block.columns.map(({ title }) => escapeInline(title)),
        rule,
        ...block.rows.map((row) => row.map(toInline)),
      ]
      return `\n${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`
    }
    case 'fields':
      return block.fields.map(([title, cell]) => `- **${escapeInline(title)}**: ${toInline(cell)}`).join('\n')
    case 'command':
      return `\n    ${block.text.trim()}\n`
  }
}

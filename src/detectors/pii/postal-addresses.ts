import type { Part } from '../../documents/document.ts'
import type { PartLabels } from './labels.ts'
import type { PiiMatch } from './match.ts'
import { topicOf } from './topics.ts'

const topics = [topicOf('ADDRESS')]
const MAX_ADDRESS = 160
const MAX_LINES = 4
const lead = /^[\s"'`*]{0,6}[:=|>]{0,2}[\s"'`*|-]{0,8}/
/** Postcode formats from UPU S42 for the countries named in the documentation. */
const postcode =
  /(?<![\w-])(?:[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|[A-Z]\d[A-Z] \d[A-Z]\d|\d{5}-\d{3,4}|\d{4}-\d{3}|\d{4} [A-Z]{2}|\d\d-\d{3}|\d{3} \d\d|\d{4,6})(?![\w-])/
const houseNumber = /(?<![\w.])\d{1,5} ?[A-Za-z]?(?![\w.])/g
const capital = /\p{Lu}[\p{L}\p{M}'’.-]{2,}/gu
const noAddress = /:\/\/|@|[{}<>;=\\]|\d\.\d/

/** A street with a number, a postcode and a town. */
function isPostal(text: string): boolean {
  const code = postcode.exec(text)
  if (code === null || noAddress.test(text)) return false
  const rest = `${text.slice(0, code.index)} ${text.slice(code.index + code[0].length)}`
  return (rest.match(houseNumber)?.length ?? 0) > 0 && (text.match(capital)?.length ?? 0) >= 2
}

/** The rest of the line and the lines below it, up to the end of the value. */
function readValue(text: string, start: number, limit: number): string {
  const slice = text.slice(start, Math.min(limit, start + MAX_ADDRESS))
  const end = slice.search(/["|\t]|\r?\n\s*\r?\n/)
  const value = (end < 0 ? slice : slice.slice(0, end)).split(/\r?\n/)
  for (let lines = 1; lines <= MAX_LINES && lines <= value.length; lines++) {
    const joined = value.slice(0, lines).join('\n').trimEnd()
    if (isPostal(joined)) return joined.replace(/[*`'),]{1,8}$/, '')
  }
  return ''
}

/** Postal addresses in cells, members and lines labelled so; none in free text. */
export function* findPostalAddresses(part: Part, labels: PartLabels): Generator<PiiMatch> {
  const { text } = part
  for (const place of labels.placesOf(topics)) {
    if (place.isCell && place.start === 0 && place.end === text.length && part.label === undefined) continue
    const from = place.isCell ? place.start : place.end
    const before = lead.exec(text.slice(from, from + 24))?.[0] ?? ''
    if (!place.isCell && !/[:=|\t\n]/.test(before)) continue
    const start = from + before.length
    const value = readValue(text, start, place.isCell ? place.end : text.length)
    if (value === '') continue
    yield {
      type: 'POSTAL_ADDRESS',
      start,
      end: start + value.length,
      confidence: 0.85,
      severity: 'MEDIUM',
      identity: value.toLowerCase().replace(/\s+/g, ' '),
      shown: '•••',
    }
  }
}

import type { Part } from '../../documents/document.ts'
import { memoize } from '../../kernel/memoize.ts'
import type { LabelHit } from '../label-index.ts'
import { MAX_LABEL } from '../label-words.ts'
import { isDigit } from '../text.ts'
import { findCell, readTable, type TextCell, type TextTable } from '../text-tables.ts'
import { COUNTRIES_FROM, GENERIC_ID, readTopics, topicOf } from './topics.ts'

/** An occurrence of a label; `value` are its topics. */
type Hit = LabelHit<readonly number[]>

/**
 * Relation of a label to a value: as the heading of its cell or the name of its part, directly before it,
 * somewhere before it, after it; or `other` where its label means something else.
 */
export type Relation = 'cell' | 'adjacent' | 'near' | 'after' | 'other'

const NOT_PERSONAL = topicOf('OTHER')
/** Topics of words that occur near all kinds of numbers, so they do not exclude other topics. */
const soft = new Set((['IP', 'NAME', 'ADDRESS', 'PHONE_VERB', 'VERSION'] as const).map(topicOf))
const isSoft = (topic: number) => soft.has(topic) || topic >= COUNTRIES_FROM
const REACH = 60
const MAX_GAP = 40
const MAX_GAP_WORDS = 4
const AFTER = 24
const MAX_COLUMN = 400
const parenthesis = /\([^()\n]{0,30}\)/g
/** Function words between a label and its value. */
const filler =
  /^(?:number|no|nr|num|nro|n|numero|número|numéro|nummer|numer|номер|id|code|is|was|are|ist|lautet|est|es|è|é|er|är|on|the|le|la|el|il|o|den|der|die|am|in|em|a|b|li|span|div|td|strong|string|value|of|his|her|my|your|their|ihr|sein|mein|to|be|kod|kodu|dne|den|dnia|the|as|card|and|y|checking|savings|current|nº|nro|º|\p{sc=Han}{1,3}|\p{sc=Hiragana}{1,3}|\p{sc=Hangul}{1,3})$/iu
const word = /[\p{L}\p{M}]+/gu
const sentenceEnd = /[\p{Ll})]{3}[.!?]\s+\p{Lu}|\n\s*\n\s*\n/u
/** Text between two labels of the same value: `SSN / ITIN`, `CPF do titular`. */
const alternative =
  /^\s{0,3}(?:[/,|(&+_-]|or|and|oder|und|ou|et|o|y|e|of|de|del|della|do|da|du|des|der|van|dla)?\s{0,3}\(?$/i
const valueFollows = /^[^\p{L}\n]{0,6}[:=#]|^[^\p{L}\n]{0,12}\d/u

/** Text between a label and its value: at most a few words, without numbers and without an end of a sentence. */
function isAdjacentGap(gap: string, closely: boolean): boolean {
  if (gap.length > MAX_GAP + 30) return false
  // `IMEI 2:` labels the second value of the kind.
  const short = (gap.includes('(') ? gap.replace(parenthesis, '') : gap).replace(/^\s?\d(?=\D)/, '')
  if (short.length > MAX_GAP || /\d/.test(short) || sentenceEnd.test(short)) return false
  const between = short.match(word) ?? []
  return between.length <= MAX_GAP_WORDS && (!closely || between.every((each) => filler.test(each)))
}

/** Index of the first hit that begins at or after the offset. */
function firstFrom(hits: readonly Hit[], offset: number): number {
  let low = 0
  let high = hits.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((hits[middle]?.start ?? 0) < offset) low = middle + 1
    else high = middle
  }
  return low
}

/** A generic label beside the name of a country refers to the numbers of that country. */
function joinCountries(hits: readonly Hit[], text: string): readonly Hit[] {
  if (!hits.some(({ value }) => value.includes(GENERIC_ID))) return hits
  return hits.map((hit, at) => {
    if (!hit.value.includes(GENERIC_ID)) return hit
    const [before, after] = [hits[at - 1], hits[at + 1]]
    const isBeside = (other: Hit | undefined, gap: number) =>
      other !== undefined && gap >= 0 && gap <= 2 && other.value.some((topic) => topic >= COUNTRIES_FROM)
    if (isBeside(before, hit.start - (before?.end ?? 0)))
      return { ...hit, start: before?.start ?? hit.start, value: [...hit.value, ...(before?.value ?? [])] }
    if (isBeside(after, (after?.start ?? 0) - hit.end) && text.charAt(hit.end + 1) === '(')
      return { ...hit, end: after?.end ?? hit.end, value: [...hit.value, ...(after?.value ?? [])] }
    return hit
  })
}

const noHits: readonly Hit[] = []

/** Hits ordered by offset, without those inside longer ones. */
export function findHits(text: string): readonly Hit[] {
  const all = readTopics().scan(text)
  if (all.length === 0) return noHits
  all.sort((a, b) => a.start - b.start || b.end - a.end)
  const hits: Hit[] = []
  for (const hit of all) {
    const last = hits.at(-1)
    if (last === undefined || hit.end > last.end) hits.push(hit)
    else if (hit.start === last.start && hit.end === last.end)
      hits[hits.length - 1] = {
        ...last,
        inflected: last.inflected && hit.inflected,
        value: [...new Set([...last.value, ...hit.value])],
      }
  }
  return joinCountries(hits, text)
}

/** Maximum distance from a label to its value, or from a heading to its first row, in characters. */
const MAX_DISTANCE = 400

const nextDigit = /\d/g

/** Hits with a digit near them. */
function nearNumbers(hits: readonly Hit[], text: string): readonly Hit[] {
  let next = -1
  return hits.filter(({ start, end }) => {
    if (next < end) {
      nextDigit.lastIndex = end
      next = nextDigit.test(text) ? nextDigit.lastIndex - 1 : Number.POSITIVE_INFINITY
    }
    if (next - end <= MAX_DISTANCE) return true
    let before = end - 1
    while (before >= 0 && start - before <= AFTER * 2 && !isDigit(text.charCodeAt(before))) before--
    return before >= 0 && start - before <= AFTER * 2
  })
}

const MAX_REMEMBERED = 2_000

/** The topics of a heading or a name. */
export const topicsOfLabel: (label: string) => readonly number[] = memoize(MAX_REMEMBERED, (label) => [
  ...new Set(findHits(label.slice(0, MAX_LABEL)).flatMap((hit) => hit.value)),
])

const separated = /[|\t;,]| {2}/
const isCommon = (a: readonly number[], b: readonly number[]) => a.some((topic) => b.includes(topic))
const none: readonly number[] = []

/** The labels in and around a part, which are read when first needed, and their relation to its values. */
export class PartLabels {
  readonly #part: Part
  readonly #beyondNumbers: boolean
  /** Topics of the name of the part, and of the heading above it. */
  #ownTopics: readonly number[] | undefined
  #aboveTopics: readonly number[] | undefined
  #hits: readonly Hit[] | undefined
  #present: ReadonlySet<number> | undefined
  #tables: TextTable[] | undefined

  /** `beyondNumbers`: also labels of values that are not numbers. */
  constructor(part: Part, beyondNumbers = false) {
    this.#part = part
    this.#beyondNumbers = beyondNumbers
  }

  get #own(): readonly number[] {
    const { label } = this.#part
    this.#ownTopics ??= label === undefined ? none : topicsOfLabel(label)
    return this.#ownTopics
  }

  get #above(): readonly number[] {
    const heading = this.#part.headings?.at(-1)
    this.#aboveTopics ??= heading === undefined ? none : topicsOfLabel(heading)
    return this.#aboveTopics
  }

  /** All topics of labels in the part, its headings and its name. */
  get present(): ReadonlySet<number> {
    if (this.#present !== undefined) return this.#present
    const present = new Set<number>(this.#own)
    for (const topic of this.#above) present.add(topic)
    for (const hit of this.#read()) for (const topic of hit.value) present.add(topic)
    this.#present = present
    return present
  }

  /** Ranges of the labels of these topics, ordered by offset; the whole part if its own name is such a label. */
  placesOf(topics: readonly number[]): { start: number; end: number; isCell: boolean }[] {
    const { present } = this
    if (!topics.some((topic) => present.has(topic))) return []
    if (isCommon(this.#own, topics) || isCommon(this.#above, topics))
      return [{ start: 0, end: this.#part.text.length, isCell: true }]
    const places: { start: number; end: number; isCell: boolean }[] = []
    for (const hit of this.#read()) {
      if (!isCommon(hit.value, topics)) continue
      places.push({ start: hit.start, end: hit.end, isCell: false })
      const table = this.#readTables().find((each) => each.start <= hit.start && hit.start < each.end)
      if (table === undefined || !table.headings.some((name) => isCommon(topicsOfLabel(name), topics))) continue
      let cells = 0
      for (const cell of table.cells) {
        if (cell.column === undefined || !isCommon(topicsOfLabel(cell.column), topics)) continue
        if (cell.end - cell.start <= MAX_COLUMN) places.push({ start: cell.start, end: cell.end, isCell: true })
        if (++cells >= 5_000) break
      }
    }
    return places
  }

  /** `closely`: with only words such as `number` and `is` in between. */
  relate(topics: readonly number[], start: number, end: number, closely = false): Relation | undefined {
    const [own, above, { kind, text }] = [this.#own, this.#above, this.#part]
    const hits = this.#read()
    if (own.length === 0 && hits.length === 0) return isCommon(above, topics) ? 'near' : undefined
    const place = { start, end }
    const whole = { start: 0, end: text.length }
    if (own.length > 0 && kind !== 'text') {
      if (isCommon(own, topics)) return 'cell'
      const inside = relateInText(hits, text, topics, place, whole, closely)
      if (inside === 'adjacent' || inside === 'after') return inside
      if (own.some((topic) => !isSoft(topic))) return 'other'
      return inside
    }
    const cell: TextCell | undefined = hits.length === 0 ? undefined : findCell(this.#readTables(), start)
    if (cell?.column !== undefined) {
      const named = topicsOfLabel(cell.column)
      if (isCommon(named, topics)) return 'cell'
      const inside = relateInText(hits, text, topics, place, cell, closely)
      if (inside !== undefined) return inside
      if (named.some((topic) => !isSoft(topic))) return 'other'
      return cell.row !== undefined && isCommon(topicsOfLabel(cell.row), topics) ? 'adjacent' : undefined
    }
    const relation = relateInText(hits, text, topics, place, whole, closely)
    if (relation === undefined && isCommon(above, topics)) return 'near'
    return relation
  }

  /** Whether the nearest label of a value has one of the topics and is at most one step away. */
  names(topics: readonly number[], start: number, end: number): boolean {
    const relation = this.relate(topics, start, end)
    return relation === 'cell' || relation === 'adjacent' || relation === 'after'
  }

  /** Whether the value is in a table column whose heading has no known topic. */
  isInUnknownColumn(start: number): boolean {
    return this.#read().length > 0 && findCell(this.#readTables(), start)?.column !== undefined
  }

  #read(): readonly Hit[] {
    const { text } = this.#part
    this.#hits ??= this.#beyondNumbers ? findHits(text) : nearNumbers(findHits(text), text)
    return this.#hits
  }

  #readTables(): readonly TextTable[] {
    if (this.#tables !== undefined) return this.#tables
    const { text } = this.#part
    const tables: TextTable[] = []
    this.#tables = tables
    let readTo = 0
    for (const hit of this.#read()) {
      if (hit.start < readTo) continue
      const lineStart = text.lastIndexOf('\n', hit.start - 1) + 1
      const newline = text.indexOf('\n', hit.end)
      readTo = newline < 0 ? text.length : newline + 1
      if (newline < 0 || newline - lineStart > 4_000 || !separated.test(text.slice(lineStart, newline))) continue
      const table = readTable(text, lineStart)
      if (table === undefined) continue
      tables.push(table)
      readTo = table.end
    }
    return tables
  }
}

/** The relation of a label in the range `from` to `to` to a value. */
function relateInText(
  hits: readonly Hit[],
  text: string,
  topics: readonly number[],
  { start, end }: { start: number; end: number },
  { start: from, end: to }: { start: number; end: number },
  closely: boolean,
): Relation | undefined {
  let edge = start
  for (let at = firstFrom(hits, start) - 1; at >= 0; at--) {
    const hit = hits[at]
    if (hit === undefined || hit.start < from || start - hit.end > REACH) break
    const isNamed = isCommon(hit.value, topics)
    if (!isNamed && hit.value.every(isSoft)) continue
    if (hit.end > edge) {
      if (isNamed && edge !== start) return 'adjacent'
      edge = Math.min(edge, hit.start)
      continue
    }
    const gap = text.slice(hit.end, edge)
    if (edge === start ? isAdjacentGap(gap, closely) : alternative.test(gap)) {
      if (isNamed) return 'adjacent'
      if (hit.value.includes(NOT_PERSONAL)) return 'other'
      edge = hit.start
    } else if (edge !== start) return 'other'
    else if (isNamed && !/\n\s*\n/.test(text.slice(hit.end, start))) return 'near'
  }
  if (edge !== start) return 'other'
  const next = hits[firstFrom(hits, end)]
  if (next === undefined || next.end > to || next.start - end > AFTER) return undefined
  const gap = text.slice(end, next.start)
  if (/[\d\n;]/.test(gap) || valueFollows.test(text.slice(next.end, next.end + 16))) return undefined
  return isCommon(next.value, topics) ? 'after' : undefined
}

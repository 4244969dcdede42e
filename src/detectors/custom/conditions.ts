import type { Part } from '../../documents/document.ts'
import type { AssetFacts } from '../detector.ts'
import { createKeywordIndex } from '../keyword-index.ts'
import { isWordCode } from '../text.ts'
import { compilePattern, type LinearPattern } from './pattern.ts'
import type { Condition, MetadataCondition } from './rule.ts'

/** A match of a condition. */
export interface Hit {
  part: number
  start: number
  end: number
  /** Hits with the same identity are the same finding. */
  identity: string
  /** Text that may be displayed for the hit; taken from the rule only. */
  shown?: string
}

export interface CompiledCondition {
  /** Undefined for conditions on facts instead of text. */
  find?: (parts: readonly Part[], checkTime?: () => void) => Hit[]
  holds?: (asset: AssetFacts) => boolean
}

/** Limit on hits of a condition per document; further hits add no information. */
const MAX_HITS = 2_000

/** @throws TypeError for a pattern that was not validated when it was saved */
export function compileCondition(condition: Condition): CompiledCondition {
  switch (condition.type) {
    case 'KEYWORDS': {
      const find = toKeywordFinder(condition)
      return { find: (parts, checkTime) => collect(parts, (part, index) => find(part.text, index), checkTime) }
    }
    case 'REGEX': {
      const pattern = compiled(condition.pattern, condition.flags)
      return {
        find: (parts, checkTime) => collect(parts, (part, index) => findPattern(pattern, part.text, index), checkTime),
      }
    }
    case 'COLUMN':
      return { find: toColumnFinder(condition) }
    case 'METADATA':
      return { holds: toFactTest(condition) }
  }
}

function compiled(source: string, flags = ''): LinearPattern {
  const pattern = compilePattern(source, flags)
  if ('problem' in pattern) throw new TypeError(`a stored pattern ${pattern.problem}`)
  return pattern
}

function collect(
  parts: readonly Part[],
  find: (part: Part, index: number) => Iterable<Hit>,
  checkTime?: () => void,
): Hit[] {
  const hits: Hit[] = []
  for (const [index, part] of parts.entries()) {
    checkTime?.()
    for (const hit of find(part, index)) {
      hits.push(hit)
      if (hits.length >= MAX_HITS) return hits
    }
  }
  return hits
}

function* findPattern(pattern: LinearPattern, text: string, part: number): Generator<Hit> {
  for (const { start, end } of pattern.findAll(text)) yield { part, start, end, identity: text.slice(start, end) }
}

interface KeywordSettings {
  keywords: readonly string[]
  caseSensitive: boolean
  wholeWords: boolean
}

function toKeywordFinder({ keywords, caseSensitive, wholeWords }: KeywordSettings) {
  // The index folds the case of ASCII letters only, so other letters are added in both cases.
  const spellings = keywords.flatMap((keyword) => {
    const forms = caseSensitive ? [keyword] : [keyword, keyword.toLowerCase(), keyword.toUpperCase()]
    return [
      ...new Map(forms.map((form) => [form.replace(/[A-Z]/g, (letter) => letter.toLowerCase()), form])).values(),
    ].map((spelling) => ({ keyword, spelling }))
  })
  const index = createKeywordIndex(spellings.map(({ spelling }) => spelling))
  return (text: string, part: number): Hit[] => {
    const hits: Hit[] = []
    index.scan(text, (at, start, end) => {
      const { keyword = '', spelling = '' } = spellings[at] ?? {}
      if (hits.length >= MAX_HITS) return
      if (caseSensitive && text.slice(start, end) !== spelling) return
      if (wholeWords && !standsAlone(text, start, end)) return
      hits.push({ part, start, end, identity: keyword.toLowerCase(), shown: text.slice(start, end) })
    })
    return hits
  }
}

function standsAlone(text: string, start: number, end: number): boolean {
  const cuts = (inside: number, outside: number) =>
    outside < 0 ||
    outside >= text.length ||
    !(isWordCode(text.charCodeAt(inside)) && isWordCode(text.charCodeAt(outside)))
  return cuts(start, start - 1) && cuts(end - 1, end)
}

const columnLabels = new Set(['column', 'measure'])

function toColumnFinder({ keywords, wholeWords }: { keywords: readonly string[]; wholeWords: boolean }) {
  const find = toKeywordFinder({ keywords: keywords.map(spellOut), caseSensitive: false, wholeWords })
  return (parts: readonly Part[], checkTime?: () => void): Hit[] => {
    const reported = new Set<string>()
    return collect(
      parts,
      ({ kind, label, text, path }, part) => {
        const isName = kind === 'name' && columnLabels.has(label ?? '')
        if ((!isName && (kind !== 'cell' || label === undefined)) || text === '') return []
        const column = isName ? text : (label ?? '')
        const identity = `${isName ? path : ''}|${column.toLowerCase()}`
        if (reported.has(identity) || find(spellOut(column), part).length === 0) return []
        reported.add(identity)
        return [{ part, start: 0, end: text.length, identity, ...(isName ? { shown: text } : {}) }]
      },
      checkTime,
    )
  }
}

/** Splits `customerId` and `customer_id` into words: `customer id`. */
const spellOut = (name: string) =>
  name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/[_.-]+/g, ' ')
    .trim()

function toFactTest({ field, operator, values }: MetadataCondition): (asset: AssetFacts) => boolean {
  const wanted = values.map((value) => value.toLowerCase())
  const patterns = operator === 'MATCHES' ? values.map((value) => compiled(value, 'i')) : []
  const dates = values.map((value) => Date.parse(value))
  return (asset) => {
    if (field === 'contentUpdatedAt') {
      const at = asset.contentUpdatedAt
      if (operator === 'MISSING' || at === undefined) return operator === 'MISSING' && at === undefined
      return operator === 'PRESENT' || dates.some((date) => (operator === 'BEFORE' ? at < date : at >= date))
    }
    const facts = factsOf(asset, field)
    if (operator === 'MISSING') return facts.length === 0
    if (operator === 'PRESENT') return facts.length > 0
    return facts.some((fact) => {
      const folded = fact.toLowerCase()
      switch (operator) {
        case 'EQUALS':
          return wanted.includes(folded)
        case 'CONTAINS':
          return wanted.some((value) => folded.includes(value))
        case 'STARTS_WITH':
          return wanted.some((value) => folded.startsWith(value))
        default:
          return patterns.some((pattern) => pattern.matches(fact))
      }
    })
  }
}

function factsOf(asset: AssetFacts, field: Exclude<MetadataCondition['field'], 'contentUpdatedAt'>): readonly string[] {
  if (field === 'label') return asset.labels ?? []
  const fact = asset[field]
  return fact === undefined || fact === '' ? [] : [fact]
}

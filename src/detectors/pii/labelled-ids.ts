import type { Part } from '../../documents/document.ts'
import { isDigit, isWordCode } from '../text.ts'
import { idRules } from './ids/all.ts'
import type { CheckStrength, IdRule } from './ids/rule.ts'
import type { PartLabels, Relation } from './labels.ts'
import type { PiiMatch } from './match.ts'
import { GENERIC_ID, topicOf, topicOfCountry } from './topics.ts'

/** Confidence of a number of this form, by its relation to a label. */
const confidences: Readonly<Record<CheckStrength, Partial<Record<Relation | 'next', number>>>> = {
  strong: { cell: 0.98, adjacent: 0.98, next: 0.97, near: 0.9, after: 0.95 },
  weak: { cell: 0.96, adjacent: 0.96, next: 0.95, after: 0.9 },
  form: { cell: 0.9, adjacent: 0.85, next: 0.8, after: 0.6 },
}
const ALONE = 0.75

/** Search window around a label, in characters. */
const BEFORE = 44
const AFTER = 180
const MAX_NUMBER = 40
/** Text between the numbers of an enumeration. */
const conjunction =
  /^[\s,;/&|+•*·"'`\]})-]{0,8}(?:and|or|und|oder|et|ou|y|o|e|en|of|i|lub|och|eller|og|ja|tai|a|și|ve|и|και|和|と|및)?[\s,;/&|+•*·"'`[({-]{0,8}$/i

const topicsOf = idRules.map((rule, at): readonly number[] => {
  const country = rule.country === '-' ? [] : [topicOfCountry(rule.country)]
  return rule.check === 'form' ? [at] : [at, ...country]
})
const generic = [GENERIC_ID]
/** Factor where the label applies to such numbers of any country. */
const GENERIC = 0.85

const separators = /[\s./()-]/g

/** Whether the range is not part of a word, a longer number, a decimal, an address or an identifier. */
function standsAlone(text: string, start: number, end: number): boolean {
  const [before, two] = [text.charCodeAt(start - 1), text.charCodeAt(start - 2)]
  if (start > 0 && isWordCode(before) && before < 128) return false
  if (start > 1 && '.,-/'.includes(text.charAt(start - 1)) && (isDigit(two) || (before !== 46 && isWordCode(two))))
    return false
  if (start > 0 && '-+@%$€£&\\'.includes(text.charAt(start - 1))) return false
  const [after, beyond] = [text.charCodeAt(end), text.charCodeAt(end + 1)]
  if (end < text.length && ((isWordCode(after) && after < 128) || '@%€£'.includes(text.charAt(end)))) return false
  if ((after === 45 || after === 47) && isWordCode(beyond)) return false
  return !((after === 46 || after === 44) && isDigit(beyond))
}

function toMatch({ type, check }: IdRule, text: string, start: number, end: number, confidence: number): PiiMatch {
  const found = text.slice(start, end)
  return {
    type,
    start,
    end,
    confidence,
    severity: check === 'form' && type !== 'DK_CPR' && type !== 'UK_NINO' && type !== 'IN_PAN' ? 'MEDIUM' : 'HIGH',
    identity: found.replace(/[\s.-]/g, '').toUpperCase(),
    shown: `••• ${found.slice(-2)}`,
  }
}

/** The next valid number at or after `from`, up to `to`. */
function findNumber(rule: IdRule, text: string, from: number, to: number): { start: number; end: number } | undefined {
  const { pattern, isValid } = rule
  const slice = text.slice(from, to)
  pattern.lastIndex = 0
  for (let found = pattern.exec(slice); found !== null; found = pattern.exec(slice)) {
    const start = from + found.index
    const end = start + found[0].length
    if (standsAlone(text, start, end) && isValid(found[0].replace(separators, '').toUpperCase())) return { start, end }
    pattern.lastIndex = found.index + 1
  }
  return undefined
}

/** Merged ranges to search: after and before each label, and the cells below one. */
function windowsOf(places: ReturnType<PartLabels['placesOf']>, length: number): { start: number; end: number }[] {
  const windows: { start: number; end: number }[] = []
  const wanted = places.map(({ start, end, isCell }) =>
    isCell ? { start, end } : { start: Math.max(0, start - BEFORE), end: Math.min(length, end + AFTER) },
  )
  for (const window of wanted.sort((a, b) => a.start - b.start)) {
    const last = windows.at(-1)
    if (last !== undefined && window.start <= last.end) last.end = Math.max(last.end, window.end)
    else windows.push({ ...window })
  }
  return windows
}

function* findNamed(rule: IdRule, topics: readonly number[], text: string, labels: PartLabels): Generator<PiiMatch> {
  let last = { end: -1, named: false }
  for (const window of windowsOf(labels.placesOf(topics), text.length)) {
    let from = window.start
    for (;;) {
      const place = findNumber(rule, text, from, Math.min(text.length, window.end + MAX_NUMBER))
      if (place === undefined || place.start >= window.end) break
      const { start, end } = place
      from = end
      const isNext = last.named && start - last.end <= 24 && conjunction.test(text.slice(last.end, start))
      const relation = isNext ? 'next' : labels.relate(topics, start, end, rule.check === 'form')
      const confidence = relation === undefined || relation === 'other' ? undefined : confidences[rule.check][relation]
      if (confidence === undefined) continue
      last = { end, named: relation !== 'after' && relation !== 'near' }
      yield toMatch(rule, text, start, end, topics === generic ? Math.min(GENERIC, confidence) : confidence)
    }
  }
}

const versions = [topicOf('VERSION')]

function* findAlone(rule: IdRule, topics: readonly number[], text: string, labels: PartLabels): Generator<PiiMatch> {
  const { pattern, lead = 0 } = rule.alone ?? {}
  if (pattern === undefined) return
  for (const { 0: matched, index } of text.matchAll(pattern)) {
    const start = index - lead
    const end = index + matched.length
    if (!standsAlone(text, start, end)) continue
    if (!rule.isValid(text.slice(start, end).replace(separators, '').toUpperCase())) continue
    // A column of versions or revisions holds no ids, however they look.
    if (labels.relate(versions, start, end) === 'cell') continue
    if (labels.relate(topics, start, end) !== 'other') yield toMatch(rule, text, start, end, ALONE)
  }
}

/**
 * Numbers with a label: in the heading of their column, in a key, before or after them; where the form and the
 * checks are strong enough, also without one. `isLong`: whether a number may have six digits.
 */
export function* findIds(
  part: Part,
  labels: PartLabels,
  wants: (rule: IdRule) => boolean,
  isLong = true,
): Generator<PiiMatch> {
  for (const at of rulesFor(labels, isLong && anyAlone.test(part.text))) {
    const rule = idRules[at]
    if (rule === undefined || !wants(rule)) continue
    const known = new Set<number>()
    for (const match of findByRule(rule, topicsOf[at] ?? [], part.text, labels)) {
      if (known.has(match.start)) continue
      known.add(match.start)
      yield match
    }
  }
}

const withoutWords = idRules.flatMap(({ alone }, at) => (alone === undefined ? [] : [at]))
const byTopic = new Map<number, number[]>()
for (const [at, topics] of topicsOf.entries()) {
  for (const topic of idRules[at]?.check === 'strong' ? [...topics, GENERIC_ID] : topics) {
    const list = byTopic.get(topic) ?? []
    byTopic.set(topic, list)
    list.push(at)
  }
}

/** Matches any text that may contain a number of a form that needs no label. The digits that forms share come first. */
const anyAlone =
  /\d(?:\d(?:\d(?:[.-]\d{3}[.-]\d{3}[ -]\d\d|\d{3}(?:[-+A]\d{3}|[HMX][A-Z]{5}|\d{11}|[A-Z9]{2}\d[A-Z]{2}))|(?<=75)6[. ]?\d{4}|\.[0-5]\d\.[0-3]\d-\d{3}|[A-EHLMPRST]\d\d[A-Z]\d{3})|(?<=[12]) \d\d (?:0[1-9]|1[0-2]) )/i

/** Rules whose label is present, or that need none. */
function rulesFor({ present }: PartLabels, isAnyAlone: boolean): Iterable<number> {
  const wanted = new Set(isAnyAlone ? withoutWords : [])
  for (const topic of present) for (const at of byTopic.get(topic) ?? []) wanted.add(at)
  return wanted
}

/** Ordered by confidence, highest first. */
function* findByRule(rule: IdRule, topics: readonly number[], text: string, labels: PartLabels): Generator<PiiMatch> {
  if (topics.some((topic) => labels.present.has(topic))) yield* findNamed(rule, topics, text, labels)
  if (rule.check === 'strong' && labels.present.has(GENERIC_ID)) yield* findNamed(rule, generic, text, labels)
  if (rule.alone !== undefined) yield* findAlone(rule, topics, text, labels)
}

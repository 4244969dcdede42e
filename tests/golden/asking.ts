import type { GoldenEstate, ListedAsset, ListedFinding } from './estate.ts'

/** A question of a business, the call that an assistant makes of it, and what the answer must hold. */
export interface GoldenQuestion {
  words: string
  tool: string
  input: Record<string, unknown>
  /** The part of the answer that is compared; default: its value. */
  pick?: (answer: Answer) => unknown
  /** Counted over the flat lists of findings and assets, without the query engine. */
  expected: (estate: GoldenEstate) => unknown
  /** The first call is wrong: the answer is reached by following the replies. */
  wrong?: true
  /** The call asks for an answer of any length. */
  large?: true
}

// biome-ignore lint/suspicious/noExplicitAny: answers of different tools are read by member
export type Answer = any
type Test<Item> = (item: Item) => boolean

export const isOpen: Test<ListedFinding> = ({ status }) => status === 'OPEN'
export const of =
  (...types: string[]): Test<ListedFinding> =>
  ({ detectorType }) =>
    types.includes(detectorType)
export const both =
  (...tests: Test<ListedFinding>[]): Test<ListedFinding> =>
  (finding) =>
    tests.every((test) => test(finding))
export const security = of('SECRETS', 'PROMPT_INJECTION')
export const personal = of('PII')
export const critical: Test<ListedFinding> = ({ severity }) => severity === 'CRITICAL'
export const any: Test<ListedFinding> = () => true

export const count =
  (test: Test<ListedFinding>) =>
  ({ findings }: GoldenEstate) =>
    findings.filter(test).length
export const share =
  (part: Test<ListedFinding>, whole: Test<ListedFinding> = any) =>
  ({ findings }: GoldenEstate) => {
    const all = findings.filter(whole)
    return all.length === 0 ? null : all.filter(part).length / all.length
  }
export const distinctAssets =
  (test: Test<ListedFinding>) =>
  ({ findings }: GoldenEstate) =>
    new Set(findings.filter(test).map(({ assetId }) => assetId)).size
export const countBy =
  (test: Test<ListedFinding>, group: (finding: ListedFinding) => string) =>
  ({ findings }: GoldenEstate) => {
    const counts: Record<string, number> = {}
    for (const finding of findings.filter(test)) counts[group(finding)] = (counts[group(finding)] ?? 0) + 1
    return counts
  }
export const mean = (test: Test<ListedFinding>) => {
  return ({ findings }: GoldenEstate) => {
    const found = findings.filter(test)
    return Math.round((found.reduce((sum, { confidence }) => sum + confidence, 0) / found.length) * 1e6) / 1e6
  }
}
export const coverage =
  (test: Test<ListedAsset> = () => true) =>
  ({ assets }: GoldenEstate) => {
    const all = assets.filter((asset) => asset.status === 'ACTIVE' && test(asset))
    return all.filter(({ lastScannedAt }) => lastScannedAt != null).length / all.length
  }

export const rounded = ({ value }: Answer) => Math.round(value * 1e6) / 1e6
export const groups = ({ breakdown }: Answer) =>
  Object.fromEntries(breakdown.map(({ dimensionValue, value }: Answer) => [dimensionValue, value]))
export const firstGroup = ({ breakdown }: Answer) => breakdown[0].value
export const most = (counts: Record<string, number>) => Math.max(...Object.values(counts))
export const sumOfSeries = ({ timeSeries }: Answer) =>
  timeSeries.reduce((sum: number, { value }: { value: number }) => sum + value, 0)
export const lastOfSeries = ({ timeSeries }: Answer) => timeSeries.at(-1).value

export const metric = (
  words: string,
  input: Record<string, unknown>,
  expected: GoldenQuestion['expected'],
  pick?: GoldenQuestion['pick'],
): GoldenQuestion => ({ words, tool: 'query_metric', input, expected, ...(pick === undefined ? {} : { pick }) })

export const series = (
  words: string,
  input: Record<string, unknown>,
  expected: GoldenQuestion['expected'],
  pick = sumOfSeries,
): GoldenQuestion => ({ words, tool: 'query_metric_timeseries', input, expected, pick })

export const explore = (
  words: string,
  input: Record<string, unknown>,
  expected: GoldenQuestion['expected'],
  pick: GoldenQuestion['pick'] = ({ count }: Answer) => count,
): GoldenQuestion => ({ words, tool: 'explore_by_glossary_term', input, expected, pick })

export const wrongly = (question: GoldenQuestion): GoldenQuestion => ({ ...question, wrong: true })
export const large = (question: GoldenQuestion): GoldenQuestion => ({ ...question, large: true })

export const hours = ({ firstDetectedAt, resolvedAt = '' }: ListedFinding) =>
  (Date.parse(resolvedAt) - Date.parse(firstDetectedAt)) / 3_600_000

/** Hours as milliseconds with three decimals: half a millisecond, of which many are, is not rounded up or down by chance. */
export const toComparable = (hours: number): string => (hours * 3_600_000).toFixed(3)
export const hoursOf = ({ value }: Answer): string => toComparable(value)

import type { Part } from '../../documents/document.ts'
import type { AssetFacts } from '../detector.ts'
import { type CompiledCondition, compileCondition, type Hit } from './conditions.ts'
import type { Rule } from './rule.ts'

/** `checkTime` is called before each part is examined. */
export type CompiledRule = (parts: readonly Part[], asset: AssetFacts, checkTime?: () => void) => Hit[]

/** Compiles a validated rule to a function that returns its hits in a document. */
export function compileRule({ all, any, none, within }: Rule): CompiledRule {
  const [allConditions, anyConditions, noneConditions] = [all, any, none].map((list) => list.map(compileCondition)) as [
    CompiledCondition[],
    CompiledCondition[],
    CompiledCondition[],
  ]
  return (parts, asset, checkTime) => {
    const holds = ({ holds: test }: CompiledCondition) => test?.(asset)
    if (allConditions.some((condition) => holds(condition) === false)) return []
    if (noneConditions.some((condition) => holds(condition) === true)) return []
    const find = (list: readonly CompiledCondition[]) =>
      list.flatMap(({ find }) => (find ? [find(parts, checkTime)] : []))

    const [reported, ...others] = find(allConditions)
    if (reported?.length === 0 || others.some((hits) => hits.length === 0)) return []
    const anyHits = find(anyConditions).flat()
    const anyFact = anyConditions.some((condition) => holds(condition) === true)
    if (anyConditions.length > 0 && anyHits.length === 0 && !anyFact) return []
    const refused = find(noneConditions).flat()
    if (within === undefined && refused.length > 0) return []

    // Only conditions on facts apply and they hold, so the asset itself is the finding.
    if (reported === undefined && anyHits.length === 0) return wholeAsset(parts)
    const hits = reported ?? anyHits
    if (within === undefined) return hits
    const needed = reported === undefined || anyFact || anyConditions.length === 0 ? others : [...others, anyHits]
    const near = needed.map((list) => toNearby(list, within))
    const tooNear = toNearby(refused, within)
    return hits.filter((hit) => near.every((isNear) => isNear(hit)) && !tooNear(hit))
  }
}

/** A finding for the whole asset is located at its first part with text. */
function wholeAsset(parts: readonly Part[]): Hit[] {
  const part = parts.findIndex(({ text }) => text.trim() !== '')
  const text = parts[part]?.text ?? ''
  return part < 0 ? [] : [{ part, start: 0, end: text.length, identity: '', shown: 'the whole asset' }]
}

/** Whether any of these hits is at most `within` characters away, in the same part. */
function toNearby(hits: readonly Hit[], within: number): (hit: Hit) => boolean {
  const byPart = Map.groupBy(hits, ({ part }) => part)
  for (const list of byPart.values()) list.sort((a, b) => a.start - b.start)
  const longest = hits.reduce((most, hit) => Math.max(most, hit.end - hit.start), 0)
  return ({ part, start, end }) => {
    const list = byPart.get(part) ?? []
    for (let at = firstFrom(list, start - within - longest); at < list.length; at++) {
      const hit = list[at]
      if (hit === undefined || hit.start > end + within) return false
      if (hit.end >= start - within) return true
    }
    return false
  }
}

/** Index of the first hit that starts at or after an offset. */
function firstFrom(list: readonly Hit[], offset: number): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((list[middle]?.start ?? 0) < offset) low = middle + 1
    else high = middle
  }
  return low
}

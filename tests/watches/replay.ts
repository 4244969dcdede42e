import { createRandom } from '../../src/sample/ids.ts'
import { NOON } from '../support/context.ts'
import { DAY, type ImportedFinding, openWatching } from './watching.ts'

const severities = ['LOW', 'HIGH', 'CRITICAL'] as const

interface ReplayedWatch {
  slug: string
  metricSlug: string
  condition: { kind: 'above' | 'below' | 'changeAbove'; value: number; for: number }
  last?: string
  dimensions?: string[]
  filters?: { severities: string[] }
}

export interface Replay {
  evaluations: number
  /** Changes of state as they were stored, and as a plain evaluation has them. */
  changes: string[]
  expected: string[]
  firings: number
  /** Evaluations that said OK although a source in scope had failed or was not complete. */
  wronglyOk: number
}

type State = 'OK' | 'FIRING' | 'UNKNOWN'

/** Imports a day at a time, with scans that fail in between, and evaluates the watches after each. */
export async function replay(days: number, watches: number, seed: number): Promise<Replay> {
  const random = createRandom(seed)
  const watching = openWatching()
  const { ask, context } = watching
  const clock = context.clock
  clock.now = NOON
  const all = Array.from({ length: watches }, (_, index) => toReplayed(index, random))
  for (const each of all) await ask('create_watch', { displayName: each.slug, ...each })
  const findings: ImportedFinding[] = []
  const states = new Map<string, { state: State; streak: number }>()
  let isSeen = false
  const result: Replay = { evaluations: 0, changes: [], expected: [], firings: 0, wronglyOk: 0 }
  for (let day = 0; day < days; day++) {
    clock.now = NOON + day * DAY
    const fails = day > 2 && random() < 0.15
    if (fails) {
      watching.endScan(random() < 0.5 ? 'FAILED' : 'PARTIAL')
    } else {
      const wave = 4 + Math.round(4 * Math.sin(day / 4))
      for (let count = 0; count < wave; count++) {
        const severity = severities[Math.floor(random() * severities.length)] ?? 'LOW'
        findings.push({ id: findings.length, severity, first: clock.now - Math.floor(random() * DAY) })
      }
      for (const finding of findings) {
        if (finding.resolved === undefined && random() < 0.12)
          finding.resolved = Math.max(finding.first + 1, clock.now - 1)
      }
      await watching.bring(findings)
    }
    await watching.tick()
    for (const each of all) {
      result.evaluations += 1
      const isUnknown = fails || isBeforeFirst(each, findings, clock.now)
      for (const { group, value } of toValues(each, findings, clock.now)) {
        const key = `${each.slug}${group}`
        const before = states.get(key)
        // A group without findings has a state only while it is FIRING or UNKNOWN.
        if (group !== '' && value === 0 && (before?.state ?? 'OK') === 'OK') {
          states.delete(key)
          continue
        }
        const after = step(before, isUnknown ? null : value, each.condition)
        states.set(key, after)
        if (before === undefined ? after.state !== 'FIRING' : before.state === after.state) continue
        // One that was not there when all was known was OK.
        const from = before?.state ?? (isSeen ? 'OK' : 'UNKNOWN')
        result.expected.push(`${day} ${key} ${from} ${after.state} ${value}`)
        if (after.state === 'FIRING') result.firings += 1
      }
    }
    isSeen = !fails
    if (fails) {
      const { items } = await ask('list_watches')
      result.wronglyOk += items.filter(({ state }: { state: State }) => state === 'OK').length
    }
  }
  for (const { slug } of all) {
    const { history } = await ask('get_watch', { slug })
    for (const { at, group, previousState, state, value } of history) {
      const day = Math.round((Date.parse(at) - NOON) / DAY)
      const name = group === undefined ? '' : ` ${Object.values(group).join()}`
      result.changes.push(`${day} ${slug}${name} ${previousState} ${state} ${value}`)
    }
  }
  result.changes.sort()
  result.expected.sort()
  return result
}

function toReplayed(index: number, random: () => number): ReplayedWatch {
  const slug = `watch-${index}`
  const times = 1 + (index % 3)
  const threshold = (most: number) => Math.floor(random() * most)
  const filters = index % 2 === 0 ? {} : { filters: { severities: [severities[index % 3] ?? 'LOW'] } }
  const of = (kind: ReplayedWatch['condition']['kind'], value: number, more: Partial<ReplayedWatch> = {}) => ({
    ...{ slug, metricSlug: 'open-findings', condition: { kind, value, for: times } },
    ...more,
  })
  const added = (last: string) => ({ metricSlug: 'new-findings', last, ...filters })
  switch (index % 5) {
    case 0:
      return of('above', threshold(40), filters)
    case 1:
      return of('below', threshold(30), filters)
    case 2:
      return of('above', threshold(40), added('7d'))
    case 3:
      return of('changeAbove', random() / 2, added('3d'))
    default:
      return of('above', threshold(20), { dimensions: ['severity'] })
  }
}

/** Whether the ranges that a watch compares begin before anything was observed. */
const isBeforeFirst = ({ last, condition }: ReplayedWatch, findings: readonly ImportedFinding[], now: number) =>
  condition.kind === 'changeAbove' &&
  now + 1 - 2 * Number(last?.slice(0, -1)) * DAY < Math.min(...findings.map(({ first }) => first))

/** The values that a watch has at a moment, by group, from the findings alone. */
function toValues(
  { metricSlug, last, dimensions, filters, condition }: ReplayedWatch,
  findings: readonly ImportedFinding[],
  now: number,
): { group: string; value: number | null }[] {
  const kept = findings.filter(({ severity }) => filters === undefined || filters.severities.includes(severity))
  const isOpen = ({ first, resolved = Number.POSITIVE_INFINITY }: ImportedFinding) => first <= now && resolved > now
  const between = (from: number, to: number) => kept.filter(({ first }) => first >= from && first < to).length
  if (metricSlug === 'new-findings') {
    const length = Number(last?.slice(0, -1)) * DAY
    const present = between(now + 1 - length, now + 1)
    if (condition.kind !== 'changeAbove') return [{ group: '', value: present }]
    const before = between(now + 1 - 2 * length, now + 1 - length)
    return [{ group: '', value: before === 0 ? null : (present - before) / before }]
  }
  if (dimensions === undefined) return [{ group: '', value: kept.filter(isOpen).length }]
  return severities
    .filter((severity) => kept.some((finding) => finding.severity === severity))
    .map((severity) => ({
      group: ` ${severity}`,
      value: kept.filter((finding) => finding.severity === severity && isOpen(finding)).length,
    }))
}

function step(
  before: { state: State; streak: number } | undefined,
  value: number | null,
  { kind, value: threshold, for: times }: ReplayedWatch['condition'],
): { state: State; streak: number } {
  const streak = before?.streak ?? 0
  if (value === null) return { state: 'UNKNOWN', streak }
  const holds = kind === 'below' ? value < threshold : value > threshold
  if (!holds) return { state: 'OK', streak: 0 }
  return { state: before?.state === 'FIRING' || streak + 1 >= times ? 'FIRING' : 'OK', streak: streak + 1 }
}

import { describe, expect, it } from 'vitest'
import { createRandom } from '../../src/sample/ids.ts'
import { errorOf, NOON } from '../support/context.ts'
import { DAY, type ImportedFinding, openWatching, type Watching } from '../watches/watching.ts'

const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO'] as const

interface Policy {
  glossaryTermSlug: string | null
  days: Record<string, number>
}

/** The findings that the terms of the tests cover, without what the product knows of terms. */
const covers: Record<string, (finding: ImportedFinding) => boolean> = {
  'one-space': ({ container }) => container === 'Space 1',
  'two-spaces': ({ container }) => container === 'Space 1' || container === 'Space 2',
}

async function openEstate(): Promise<Watching> {
  const watching = openWatching()
  const term = (slug: string, containers: string[]) =>
    watching.ask('create_glossary_term', { slug, displayName: slug, filterMapping: { containers } })
  await term('one-space', ['Space 1'])
  await term('two-spaces', ['Space 1', 'Space 2'])
  return watching
}

/** The due date of an open or resolved finding, by the rule: of the policies that fit, the fewest days. */
function toDue(finding: ImportedFinding, policies: readonly Policy[]): number {
  const days = policies.flatMap(({ glossaryTermSlug, days: bySeverity }) => {
    const own = bySeverity[finding.severity]
    const isFit = glossaryTermSlug === null || covers[glossaryTermSlug]?.(finding) === true
    return isFit && own !== undefined ? [own] : []
  })
  return finding.first + Math.min(...days) * DAY
}

describe('due dates', () => {
  it('and the metrics on them equal those of a model, at any moment and after each change of the policies', async () => {
    const random = createRandom(20)
    const below = (count: number) => Math.floor(random() * count)
    const watching = await openEstate()
    // Whole days and single milliseconds, so that some findings are due at the very instants that are asked about.
    const findings = Array.from({ length: 120 }, (_, id): ImportedFinding => {
      const first = NOON - below(40) * DAY - below(2)
      const isResolved = random() < 0.4
      const resolved = Math.min(NOON, first + below(20) * DAY + below(3))
      const severity = severities[below(5)] ?? 'INFO'
      return { id, severity, first, container: `Space ${below(4)}`, ...(isResolved ? { resolved } : {}) }
    })
    await watching.bring(findings)
    const { items } = await watching.ask('search_findings', { limit: 500 })
    const idOf = new Map<string, ImportedFinding>()
    for (const item of items) {
      const same = findings.find(
        ({ severity, first, container, id, resolved }) =>
          severity === item.severity &&
          new Date(first).toISOString() === item.firstDetectedAt &&
          container === item.asset.container &&
          item.asset.key === `page-${id % 7}-${container}` &&
          (resolved === undefined ? undefined : new Date(resolved).toISOString()) === item.resolvedAt &&
          !idOf.values().some((taken) => taken.id === id),
      )
      if (same === undefined) throw new Error(`no finding was imported as ${JSON.stringify(item)}`)
      idOf.set(item.id, same)
    }
    const decided = [...idOf.keys()].filter((_, index) => index % 9 === 0)
    const isOpen = (id: string) => idOf.get(id)?.resolved === undefined
    const ignored = new Set(decided.filter(isOpen))
    await watching.ask('triage_findings', { ids: [...ignored], status: 'IGNORED', reason: 'accepted' })

    const randomDays = () =>
      Object.fromEntries(
        severities.flatMap((name) => (random() < 0.7 ? [[name, 1 + below(12)] as const] : [])).concat([['HIGH', 3]]),
      )
    for (let round = 0; round < 4; round++) {
      const policies: Policy[] = [null, 'one-space', 'two-spaces']
        .filter(() => random() < 0.8)
        .map((glossaryTermSlug) => ({ glossaryTermSlug, days: randomDays() }))
      if (policies.length === 0) continue
      await watching.ask('set_sla', { policies })
      const listed = (await watching.ask('search_findings', { limit: 500 })).items
      for (const { id, dueAt } of listed) {
        const due = toDue(idOf.get(id) as ImportedFinding, policies)
        const expected = ignored.has(id) || due === Number.POSITIVE_INFINITY ? undefined : new Date(due).toISOString()
        expect(dueAt).toBe(expected)
      }
      const isOverdue = (id: string, moment: number, present: boolean) => {
        const finding = idOf.get(id) as ImportedFinding
        if (finding.first >= moment || (present && ignored.has(id))) return false
        const wasOpen = finding.resolved === undefined || (!present && finding.resolved >= moment)
        return wasOpen && toDue(finding, policies) <= moment
      }
      const overdue = (await watching.ask('search_findings', { limit: 500, overdue: true })).items
      const ids = [...idOf.keys()]
      expect(overdue.map(({ id }: { id: string }) => id).sort()).toEqual(
        ids.filter((id) => isOverdue(id, NOON, true)).sort(),
      )
      const others = await watching.ask('search_findings', { limit: 500, overdue: false, total: true })
      expect(others.total + overdue.length).toBe(findings.length)

      // The decisions were made now, so every earlier moment is before them.
      const moments = [0, 1, 5, 11, 30].map((ago) => NOON - ago * DAY)
      for (const moment of moments) {
        const to = new Date(moment).toISOString()
        const { value } = await watching.ask('query_metric', { metricSlug: 'overdue-findings', to })
        expect(value, `overdue at ${to}`).toBe(ids.filter((id) => isOverdue(id, moment, false)).length)
      }
      const series = await watching.ask('query_metric_timeseries', {
        metricSlug: 'overdue-findings',
        granularity: 'day',
        from: new Date(NOON - 20 * DAY).toISOString(),
        to: new Date(NOON).toISOString(),
      })
      const ends = [...series.timeSeries.slice(1).map(({ timestamp }: { timestamp: string }) => Date.parse(timestamp))]
      for (const [index, end] of [...ends, NOON].entries()) {
        expect(series.timeSeries[index].value).toBe(ids.filter((id) => isOverdue(id, end, false)).length)
      }
      const met = ids.filter((id) => {
        const finding = idOf.get(id) as ImportedFinding
        const due = toDue(finding, policies)
        return finding.resolved !== undefined && due < Number.POSITIVE_INFINITY && finding.resolved <= due
      })
      const missed = ids.filter((id) => {
        const finding = idOf.get(id) as ImportedFinding
        const due = toDue(finding, policies)
        return finding.resolved === undefined ? isOverdue(id, NOON, true) : finding.resolved > due
      })
      const compliance = await watching.ask('query_metric', { metricSlug: 'sla-compliance' })
      expect(compliance).toMatchObject({ numerator: met.length, denominator: met.length + missed.length })
    }
  })

  it('of a finding count again after a decision on it has ended', async () => {
    const watching = openWatching()
    await watching.bring([{ id: 1, severity: 'HIGH', first: NOON - 10 * DAY }])
    await watching.ask('set_sla', { policies: [{ days: { HIGH: 3 } }] })
    const [{ id }] = (await watching.ask('search_findings')).items
    const until = new Date(NOON + DAY).toISOString()
    await watching.ask('update_finding', { id, status: 'IGNORED', reason: 'accepted', until })
    const at = async (moment: number) =>
      (await watching.ask('query_metric', { metricSlug: 'overdue-findings', to: new Date(moment).toISOString() })).value
    expect([await at(NOON), await at(NOON + DAY), await at(NOON + DAY + 1)]).toEqual([1, 0, 1])
    watching.context.clock.now = NOON + 2 * DAY
    expect((await watching.ask('search_findings', { overdue: true })).items).toMatchObject([
      { id, status: 'OPEN', dueAt: new Date(NOON - 7 * DAY).toISOString() },
    ])
  })

  it('follow a policy whose term has a range of ages, in a series, too', async () => {
    const watching = openWatching()
    await watching.bring([{ id: 1, severity: 'HIGH', first: NOON - 10 * DAY }])
    const filterMapping = { ranges: { ageHours: { min: 5 * 24 } } }
    await watching.ask('create_glossary_term', { slug: 'old', displayName: 'Old', filterMapping })
    await watching.ask('set_sla', { policies: [{ glossaryTermSlug: 'old', days: { HIGH: 2 } }] })
    const { timeSeries } = await watching.ask('query_metric_timeseries', {
      metricSlug: 'overdue-findings',
      granularity: 'day',
      from: new Date(NOON - 9 * DAY).toISOString(),
      to: new Date(NOON).toISOString(),
    })
    const values = timeSeries.map(({ value }: { value: number }) => value)
    expect(values).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
  })

  it.each([
    ['back', -DAY],
    ['forth', DAY],
  ])('depend only on the first detection and the clock of the answer when it jumps %s by a day', async (_, by) => {
    const watching = openWatching()
    await watching.bring([
      { id: 1, severity: 'HIGH', first: NOON - 3 * DAY },
      { id: 2, severity: 'HIGH', first: NOON - 2 * DAY - 1 },
      { id: 3, severity: 'HIGH', first: NOON - DAY },
    ])
    await watching.ask('set_sla', { policies: [{ days: { HIGH: 2 } }] })
    const look = async () => {
      const { items } = await watching.ask('search_findings')
      const { total } = await watching.ask('search_findings', { overdue: true, total: true })
      const { value } = await watching.ask('query_metric', { metricSlug: 'overdue-findings' })
      return { due: items.map(({ dueAt }: { dueAt: string }) => dueAt), total, value }
    }
    const before = await look()
    expect(before).toMatchObject({ total: 2, value: 2 })
    watching.context.clock.now += by
    const expected = by > 0 ? 3 : 1
    expect(await look()).toEqual({ ...before, total: expected, value: expected })
    watching.context.clock.now -= by
    expect(await look()).toEqual(before)
  })
})

describe('the metrics on due dates', () => {
  const ask = async (watching: Watching, metricSlug: string, more: object = {}) =>
    watching.ask('query_metric', { metricSlug, ...more })

  it('have no value until there is a policy', async () => {
    const watching = openWatching()
    await watching.bring([{ id: 1, severity: 'HIGH', first: NOON - 10 * DAY }])
    for (const metric of ['overdue-findings', 'sla-compliance']) {
      const answer = await ask(watching, metric)
      expect(answer).toMatchObject({ value: null, reason: 'no_policy' })
      expect(answer.warnings.map(({ code }: { code: string }) => code)).toContain('no_policy')
      expect(answer.diagnosis).toBeUndefined()
    }
    const series = await watching.ask('query_metric_timeseries', { metricSlug: 'overdue-findings', granularity: 'day' })
    expect(series.timeSeries.every(({ value }: { value: unknown }) => value === null)).toBe(true)
    expect(await ask(watching, 'open-findings', { filters: { overdue: true } })).toMatchObject({ reason: 'no_policy' })
    await watching.ask('set_sla', { policies: [{ days: { LOW: 1 } }] })
    expect(await ask(watching, 'overdue-findings')).toMatchObject({ value: 0 })
    await watching.ask('set_sla', { policies: [] })
    expect(await ask(watching, 'overdue-findings')).toMatchObject({ value: null, reason: 'no_policy' })
  })

  it('are drafts that a person certifies, and drift when a policy or the mapping of its term changes', async () => {
    const watching = await openEstate()
    const tierOf = async () => (await ask(watching, 'overdue-findings')).trust.tier
    const set = (days: number) =>
      watching.ask('set_sla', { policies: [{ glossaryTermSlug: 'one-space', days: { HIGH: days } }] })
    await set(7)
    expect(await tierOf()).toBe('draft')
    await watching.ask('certify_metric', { slug: 'overdue-findings', certifiedBy: 'Ada' })
    expect(await tierOf()).toBe('certified')
    await set(7)
    expect(await tierOf()).toBe('certified')
    await set(8)
    expect(await tierOf()).toBe('drifted')
    await set(7)
    expect(await tierOf()).toBe('certified')
    await watching.ask('update_glossary_term', { slug: 'one-space', filterMapping: { containers: ['Space 2'] } })
    expect(await tierOf()).toBe('drifted')
    expect((await ask(watching, 'open-findings')).trust.tier).toBe('certified')
  })
})

describe('policies of due dates', () => {
  const wrong: readonly (readonly [what: string, policies: unknown[], path: string, code: string])[] = [
    ['0 days', [{ days: { HIGH: 0 } }], 'policies[0].days.HIGH', 'invalid_input'],
    ['half a day', [{ days: { HIGH: 0.5 } }], 'policies[0].days.HIGH', 'invalid_input'],
    ['no severity', [{ days: {} }], 'policies[0].days', 'invalid_input'],
    ['an unknown severity', [{ days: { SEVERE: 1 } }], 'policies[0].days.SEVERE', 'invalid_input'],
    [
      'two policies for all findings',
      [{ days: { HIGH: 1 } }, { days: { LOW: 1 } }],
      'policies[1].glossaryTermSlug',
      'invalid_input',
    ],
    [
      'two policies for one term',
      ['one-space', 'One-Space'].map((glossaryTermSlug) => ({ glossaryTermSlug, days: { HIGH: 1 } })),
      'policies[1].glossaryTermSlug',
      'invalid_input',
    ],
    [
      'an unknown term',
      [{ glossaryTermSlug: 'no-space', days: { HIGH: 1 } }],
      'policies[0].glossaryTermSlug',
      'not_found',
    ],
    [
      'an inactive term',
      [{ glossaryTermSlug: 'two-spaces', days: { HIGH: 1 } }],
      'policies[0].glossaryTermSlug',
      'conflict',
    ],
    [
      'a term by due dates',
      [{ glossaryTermSlug: 'late', days: { HIGH: 1 } }],
      'policies[0].glossaryTermSlug',
      'conflict',
    ],
  ]
  it.each(wrong)('with %s are refused with the path, and nothing is changed', async (_, policies, path, code) => {
    const watching = await openEstate()
    await watching.ask('update_glossary_term', { slug: 'two-spaces', isActive: false })
    await watching.ask('create_glossary_term', { slug: 'late', displayName: 'Late', filterMapping: { overdue: true } })
    await watching.ask('set_sla', { policies: [{ days: { HIGH: 7 } }] })
    const before = await watching.ask('get_sla')
    const error = await errorOf(watching.ask('set_sla', { policies }))
    expect(error.code).toBe(code)
    expect(error.facts.issues?.map((issue) => issue.path)).toContain(path)
    expect(await watching.ask('get_sla')).toEqual(before)
  })

  it('protect their terms, which can be neither deleted nor made inactive nor depend on due dates', async () => {
    const watching = await openEstate()
    await watching.ask('set_sla', { policies: [{ glossaryTermSlug: 'one-space', days: { HIGH: 7 } }] })
    const refused = { code: 'conflict', facts: { reason: 'in_use' } }
    const slug = 'one-space'
    expect(await errorOf(watching.ask('delete_glossary_term', { slug }))).toMatchObject(refused)
    expect(await errorOf(watching.ask('update_glossary_term', { slug, isActive: false }))).toMatchObject(refused)
    const filterMapping = { sla: ['MISSED'] }
    expect(await errorOf(watching.ask('update_glossary_term', { slug, filterMapping }))).toMatchObject(refused)
    await watching.ask('set_sla', { policies: [] })
    await watching.ask('delete_glossary_term', { slug })
  })

  it('are in the audit trail, one entry for each that changed', async () => {
    const watching = await openEstate()
    const all = { days: { CRITICAL: 3, HIGH: 7 } }
    const one = { glossaryTermSlug: 'one-space', days: { LOW: 9 } }
    await watching.ask('set_sla', { policies: [all, one] })
    await watching.ask('set_sla', { policies: [{ days: { HIGH: 7, CRITICAL: 3 } }, { ...one, days: { LOW: 5 } }] })
    await watching.ask('set_sla', { policies: [all] })
    const { items } = await watching.ask('list_audit', { kind: 'sla' })
    expect(items.map(({ action, name }: { action: string; name: string }) => `${action} ${name}`).sort()).toEqual([
      'create _all',
      'create one-space',
      'delete one-space',
      'update one-space',
    ])
  })

  it('may be a hundred with five severities each, and the fewest days count', async () => {
    const watching = openWatching()
    await watching.bring([{ id: 1, severity: 'HIGH', first: NOON - 10 * DAY }])
    const policies = Array.from({ length: 100 }, (_, at) => ({
      glossaryTermSlug: `term-${at}`,
      days: Object.fromEntries(severities.map((name, index) => [name, 9 + ((at * 5 + index) % 499)])),
    }))
    for (const { glossaryTermSlug: slug } of policies) {
      await watching.ask('create_glossary_term', {
        slug,
        displayName: slug,
        filterMapping: { detectorTypes: ['SECRETS'] },
      })
    }
    await watching.ask('set_sla', { policies })
    const least = Math.min(...policies.map(({ days }) => days.HIGH ?? 0))
    const { items } = await watching.ask('search_findings', { overdue: least <= 10 })
    expect(items).toMatchObject([{ dueAt: new Date(NOON + (least - 10) * DAY).toISOString() }])
    expect((await watching.ask('query_metric', { metricSlug: 'sla-compliance' })).reason).not.toBe('no_policy')
  })
})

import { operations } from '../../src/catalogue.ts'
import type { RedactedFinding } from '../../src/detectors/detector.ts'
import { buildEngine } from '../../src/engine/load.store.ts'
import { saveAsset } from '../../src/findings/assets.store.ts'
import { applyDetection } from '../../src/findings/detected.ts'
import { recordExpiries } from '../../src/findings/expiries.ts'
import { FindingLedger } from '../../src/findings/ledger.store.ts'
import { suppressOpened } from '../../src/findings/suppressions/suppressions.ts'
import { runOnEngine } from '../../src/query/engine/engine-plan.ts'
import { openEngineSnapshot } from '../../src/query/engine/executor.ts'
import type { Cell } from '../../src/query/plan/cells.ts'
import type { Plan } from '../../src/query/plan/plan.ts'
import { runPlan } from '../../src/query/sql/plan.store.ts'
import { createRandom } from '../../src/sample/ids.ts'
import { insertSource } from '../../src/sources/sources.store.ts'
import { caller, NOON, openContext } from '../support/context.ts'
import { safe } from '../support/safe-text.ts'

const DAY = 86_400_000
const statuses = ['OPEN', 'RESOLVED', 'FALSE_POSITIVE', 'IGNORED'] as const
type Status = (typeof statuses)[number]
const types = ['A', 'B', 'C']

/** One finding as a person would keep it on paper: each change of status, and when the decision on it ends. */
interface Paper {
  mark: number
  type: string
  first: number
  status: Status
  changes: { at: number; from: Status; to: Status }[]
  end: { at: number; to: 'OPEN' | 'RESOLVED' } | undefined
}

interface PaperRule {
  id: string
  type: string
  until: number | undefined
  status: 'IGNORED' | 'FALSE_POSITIVE'
}

const isDecided = (status: Status) => status === 'IGNORED' || status === 'FALSE_POSITIVE'

function change(paper: Paper, at: number, to: Status, until?: number): void {
  paper.changes.push({ at, from: paper.status, to })
  paper.status = to
  paper.end = until === undefined ? undefined : { at: until, to: 'OPEN' }
}

/** Ends the decision that is over at an instant. */
function advance(paper: Paper, now: number): void {
  if (paper.end !== undefined && paper.end.at <= now) change(paper, paper.end.at, paper.end.to)
}

/** The status before an instant, with the ends that are due before it; undefined: not yet detected. */
function statusBefore(paper: Paper, moment: number): Status | undefined {
  if (paper.first >= moment) return undefined
  if (paper.end !== undefined && paper.end.at < moment) return paper.end.to
  const later = paper.changes.find(({ at }) => at >= moment)
  return later?.from ?? paper.status
}

/** What one course found out: differences by kind, all empty if Assay is right. */
export interface Course {
  histories: number
  ends: number
  differences: string[]
  servedByEngine: number
}

/** Random scans, decisions, suppressions and undos on some findings, compared with the paper at random moments. */
export async function runCourse(seed: number, findings: number, steps: number): Promise<Course> {
  const random = createRandom(seed)
  const below = (count: number) => Math.floor(random() * count)
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item
  const context = openContext()
  const { store, clock } = context
  const ask = caller(operations, context)
  const place = store.write((writer) => {
    const draft = { uid: `u${seed}`, name: 'wiki', type: 'WIKI', config: {}, secrets: {}, nextRunAt: null }
    const sourceId = insertSource(writer, draft, 0)
    const asset = {
      key: safe('k'),
      kind: 'wiki.page' as const,
      name: safe('n'),
      url: safe(''),
      checksum: safe(''),
      links: [],
    }
    const common = { sourceId, scopeKey: safe(''), scanId: 1, at: 0, detectorsHash: null, scanned: true }
    const id = FindingLedger.keep(writer, 0, ({ facets }) => saveAsset(writer, facets, { ...common, draft: asset }))
    return { id, sourceId, lastScannedAt: 0 }
  })
  const papers = new Map<number, Paper>()
  const rules: PaperRule[] = []
  const idOf = new Map<number, string>()
  const differences: string[] = []
  let servedByEngine = 0

  const differ = (what: string, actual: unknown, expected: unknown) => {
    const [left, right] = [actual, expected].map((value) => JSON.stringify(value))
    if (left !== right) differences.push(`seed ${seed}: ${what}: ${left}, expected ${right}`)
  }
  const advanceAll = () => {
    for (const paper of papers.values()) advance(paper, clock.now)
  }
  const applyRules = (paper: Paper) => {
    const rule = rules.find(({ type, until }) => type === paper.type && (until === undefined || until > clock.now))
    if (rule !== undefined && paper.status === 'OPEN') change(paper, clock.now, rule.status, rule.until)
  }

  const scan = () => {
    const isWhole = random() < 0.8
    const seen = new Set(Array.from({ length: findings }, (_, mark) => mark + 1).filter(() => random() < 0.75))
    const found = [...seen].map(
      (mark): RedactedFinding => ({
        ...{ detectorType: 'SECRETS', findingType: types[mark % 3] as string, category: 'C', confidence: 0.9 },
        ...{ location: { path: 'body' }, excerpt: '****', severity: random() < 0.9 ? 'HIGH' : 'LOW' },
        fingerprint: mark.toString(16).padStart(12, '0'),
      }),
    )
    store.write((writer) =>
      FindingLedger.keep(writer, clock.now, (ledger) => {
        const looked = new Set(['SECRETS'])
        const complete = isWhole ? looked : new Set<string>()
        applyDetection(ledger, { asset: place, found, examinedTypes: looked, complete, scanId: 1, at: clock.now })
        suppressOpened(writer, ledger, clock.now)
        for (const { id, fp } of ledger.listOfAsset(place.id)) idOf.set(fp, String(id))
      }),
    )
    for (const mark of seen) {
      const known = papers.get(mark)
      const type = types[mark % 3] as string
      if (known === undefined) {
        const paper: Paper = { mark, type, first: clock.now, status: 'OPEN', changes: [], end: undefined }
        papers.set(mark, paper)
        applyRules(paper)
      } else if (known.status === 'RESOLVED') {
        change(known, clock.now, 'OPEN')
        applyRules(known)
      } else if (known.end !== undefined) known.end.to = 'OPEN'
    }
    for (const paper of papers.values()) {
      if (!isWhole || seen.has(paper.mark)) continue
      if (paper.status === 'OPEN') change(paper, clock.now, 'RESOLVED')
      else if (paper.end !== undefined) paper.end.to = 'RESOLVED'
    }
  }

  const someUntil = () => (random() < 0.8 ? clock.now + 1 + below(6) * DAY + below(DAY) : undefined)
  const decide = (chosen: readonly Paper[], to: Status, until: number | undefined) => {
    const items: { paper: Paper; from: Status; until: number | undefined }[] = []
    for (const paper of chosen) {
      if (paper.status === to && (!isDecided(to) || paper.end?.at === until)) continue
      items.push({ paper, from: paper.status, until: paper.end?.at })
      change(paper, clock.now, to, until)
    }
    return items
  }
  const toInput = (chosen: readonly Paper[], status: Status, until: number | undefined) => ({
    ids: chosen.map(({ mark }) => idOf.get(mark) ?? ''),
    ...{ status, reason: 'looked at' },
    ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
  })
  const triage = async () => {
    const chosen = [...papers.values()].filter(() => random() < 0.3)
    if (chosen.length === 0) return
    const to = pick(statuses)
    const until = isDecided(to) ? someUntil() : undefined
    const answer = await ask('triage_findings', toInput(chosen, to, until))
    const items = decide(chosen, to, until)
    const told = new Map(answer.items.map((item: { id: string }) => [item.id, item]))
    for (const { paper, from, until: end } of items) {
      const id = idOf.get(paper.mark) ?? ''
      const expected = { id, from, ...(end === undefined ? {} : { until: new Date(end).toISOString() }) }
      differ('item', told.get(id), expected)
    }
    differ('changed', answer.changed, items.length)
    // Half of them are undone at once, as they were.
    if (random() < 0.5) return
    for (const { paper, from, until: end } of items) {
      await ask('triage_findings', { ...toInput([paper], from, end), expectedStatus: to })
      decide([paper], from, end)
    }
  }
  const suppress = async () => {
    if (rules.length > 0 && random() < 0.4) {
      await noteOwners()
      const [rule] = rules.splice(below(rules.length), 1)
      await ask('delete_suppression', { id: rule?.id })
      for (const paper of papers.values()) {
        if (owners.get(paper) === rule?.id && isDecided(paper.status)) {
          const gone = await ask('get_finding', { id: idOf.get(paper.mark) })
          change(paper, clock.now, gone.status === 'RESOLVED' ? 'RESOLVED' : 'OPEN')
        }
      }
      return
    }
    const [type, status, until] = [pick(types), pick(['IGNORED', 'FALSE_POSITIVE'] as const), someUntil()]
    const input = { filters: { findingTypes: [type] }, status, reason: 'a rule' }
    const end = until === undefined ? {} : { until: new Date(until).toISOString() }
    const { id } = await ask('create_suppression', { ...input, ...end })
    rules.push({ id, type, until, status })
    for (const paper of papers.values()) {
      if (paper.type === type && paper.status === 'OPEN') change(paper, clock.now, status, until)
    }
  }
  /** The suppression that made the last decision on each finding, read from its history. */
  const owners = new Map<Paper, string>()
  const noteOwners = async () => {
    owners.clear()
    for (const paper of papers.values()) {
      const { history } = await ask('get_finding', { id: idOf.get(paper.mark) })
      const by = /^suppression:(\d+)$/.exec(history.at(-1)?.by ?? '')
      if (by?.[1] !== undefined) owners.set(paper, by[1])
    }
  }

  const compare = async () => {
    const first = NOON
    const moments = [
      ...Array.from({ length: 6 }, () => first + below(clock.now - first + 20 * DAY)),
      ...[...papers.values()].flatMap(({ end }) => (end === undefined ? [] : [end.at, end.at + 1])).slice(0, 6),
      clock.now,
      clock.now + 1,
    ].sort((a, b) => a - b)
    const edges = [...new Set(moments)]
    const counts = edges.map((moment) =>
      statuses.map((status) => [...papers.values()].filter((paper) => statusBefore(paper, moment) === status).length),
    )
    const common = { entity: 'finding', timeField: 'firstDetectedAt', range: {}, conditions: [] } as const
    const measure = { aggregation: 'COUNT' } as const
    const plans: Plan[] = [
      { ...common, mode: 'stock', at: edges.at(-1) ?? 0, edges, dimensions: ['status'], measure },
      ...edges.map((at): Plan => ({ ...common, mode: 'stock', at, dimensions: ['status'], measure })),
    ]
    const toCounts = (cells: readonly Cell[], bucket: number) =>
      statuses.map((status) => cells.find((cell) => cell.bucket === bucket && cell.key[0] === status)?.n ?? 0)
    store.read((reader) => {
      const [series, ...single] = plans.map((plan) => runPlan(reader, plan))
      differ(
        'series',
        edges.map((_, bucket) => toCounts(series ?? [], bucket)),
        counts,
      )
      differ(
        'moments',
        single.map((cells) => toCounts(cells, 0)),
        counts,
      )
      const present = statuses.map((status) => [...papers.values()].filter((paper) => paper.status === status).length)
      const flow: Plan = { ...common, mode: 'flow', at: clock.now, dimensions: ['status'], measure }
      differ('flow', toCounts(runPlan(reader, flow), 0), present)
      if (reader.seesEnds) return
      const engine = buildEngine(reader)
      for (const [index, plan] of plans.entries()) {
        const cells = runOnEngine(engine, plan, openEngineSnapshot(reader))
        if (cells === undefined) continue
        servedByEngine += 1
        if (index > 0) differ('engine', toCounts(cells, 0), counts[index - 1])
      }
    })
    for (const status of statuses) {
      const { items } = await ask('search_findings', { statuses: [status], limit: 500 })
      const expected = [...papers.values()].filter((paper) => paper.status === status)
      differ(
        'list',
        items.map(({ id }: { id: string }) => id).sort(),
        expected.map(({ mark }) => idOf.get(mark)).sort(),
      )
    }
    for (const paper of papers.values()) {
      const { history, until, status } = await ask('get_finding', { id: idOf.get(paper.mark) })
      const rows = history.map(({ at, from, to }: { at: string; from: string; to: string }) => [
        Date.parse(at),
        from,
        to,
      ])
      differ(
        'history',
        rows,
        paper.changes.map(({ at, from, to }) => [at, from, to]),
      )
      differ('end', [status, until && Date.parse(until)], [paper.status, paper.end?.at])
    }
    const wrong = store.read((reader) =>
      reader
        .prepare('SELECT count(*) FROM combo k WHERE k.n <> (SELECT count(*) FROM finding f WHERE f.combo_id = k.id)')
        .pluck()
        .get(),
    )
    differ('counts of combinations', wrong, 0)
  }

  scan()
  for (let step = 0; step < steps; step++) {
    clock.now += 1 + below(3 * DAY)
    advanceAll()
    const chance = random()
    if (chance < 0.3) await compare()
    if (chance < 0.35) scan()
    else if (chance < 0.7) await triage()
    else if (chance < 0.9) await suppress()
    if (random() < 0.4) await recordExpiries({ store, now: context.now })
  }
  clock.now += 2 * DAY
  advanceAll()
  await compare()
  await recordExpiries({ store, now: context.now })
  await compare()
  const ends = store.read((reader) =>
    reader.prepare(`SELECT count(*) FROM status_change WHERE actor = 'assay' AND reason = 'expired'`).pluck().get(),
  ) as number
  return { histories: papers.size, ends, differences, servedByEngine }
}

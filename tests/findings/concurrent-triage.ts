import { operations } from '../../src/catalogue.ts'
import { AppError } from '../../src/kernel/errors.ts'
import type { Caller } from '../../src/operation/context.ts'
import { createRandom } from '../../src/sample/ids.ts'
import { caller, localPerson, NOON } from '../support/context.ts'
import { DAY, openWatching } from '../watches/watching.ts'

const statuses = ['OPEN', 'RESOLVED', 'FALSE_POSITIVE', 'IGNORED'] as const
type Status = (typeof statuses)[number]
const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO'] as const

interface Item {
  id: string
  from: Status
  until?: string
}

export interface ConcurrentTriage {
  calls: number
  conflicts: number
  undos: number
  changed: number
  /** Changes that answers report, in an order of their own, and those in the history. */
  answered: string[]
  recorded: string[]
  /** Findings in the entries of the audit trail, by author. */
  audited: Record<string, number>
  changedBy: Record<string, number>
  /** Findings whose history is not a chain, or does not end in their status. */
  broken: number
  /** Findings by status as a metric counts them, and as the histories end. */
  counted: Record<string, number>
  ended: Record<string, number>
  /** Findings whose status after an undo is not the one expected. */
  wronglyUndone: string[]
}

/**
 * Two people and an assistant set the status of the same findings at the same time, by ids and by filters, with stale
 * expectations, and undo what they did; then one of them undoes a change of which another has moved a part.
 */
export async function triageConcurrently(findings: number, rounds: number, seed: number): Promise<ConcurrentTriage> {
  const random = createRandom(seed)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const watching = openWatching()
  await watching.bring(
    Array.from({ length: findings }, (_, id) => ({ id, severity: severities[id % 5] ?? 'LOW', first: NOON - DAY })),
  )
  const { store } = watching.context
  const statusOf = () =>
    new Map(
      store.read(
        (reader) =>
          reader
            .prepare('SELECT CAST(f.id AS TEXT), c.status FROM finding f JOIN combo c ON c.id = f.combo_id')
            .raw()
            .all() as [string, number][],
      ),
    )
  const ids = [...statusOf().keys()]
  const people: Caller[] = [
    { ...localPerson, name: 'ann' },
    { ...localPerson, name: 'ben', via: 'cli' },
    { ...localPerson, name: 'helper', via: 'mcp' },
  ]
  const result = { calls: 0, conflicts: 0, undos: 0, changed: 0, answered: [] as string[] }

  const openTriage = (who: Caller) => {
    const run = caller(operations, { ...watching.context, caller: who })
    return async (input: { status: Status } & Record<string, unknown>): Promise<Item[]> => {
      result.calls += 1
      try {
        const { items, changed } = await run('triage_findings', { reason: 'looked at', ...input })
        result.changed += changed
        for (const { id, from } of items as Item[]) result.answered.push(`${id} ${from} ${input.status} ${who.name}`)
        return items
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'conflict') throw error
        result.conflicts += 1
        return []
      }
    }
  }
  /** One call for each former status, as a client does. */
  const undo = async (triage: ReturnType<typeof openTriage>, items: readonly Item[], expectedStatus: Status) => {
    for (const status of statuses) {
      const former = items.filter(({ from }) => from === status).map(({ id }) => id)
      if (former.length > 0 && status !== expectedStatus) await triage({ ids: former, status, expectedStatus })
    }
  }
  const work = async (who: Caller) => {
    const triage = openTriage(who)
    const run = caller(operations, { ...watching.context, caller: who })
    for (let round = 0; round < rounds; round++) {
      const status = pick(statuses)
      const share = random() * 0.3
      const expected = random() < 0.5 ? { expectedStatus: pick(statuses) } : {}
      const filters = { severities: [pick(severities)], statuses: [pick(statuses)] }
      const isByFilter = random() < 0.4
      const { count } = isByFilter ? await run('preview_triage', { filters }) : { count: 0 }
      const target = isByFilter
        ? { filters, expectedCount: count }
        : { ids: ids.filter(() => random() < share).concat(pick(ids)), ...expected }
      const items = await triage({ ...target, status })
      if (items.length > 0 && random() < 0.4) {
        result.undos += 1
        await undo(triage, items, status)
      }
    }
  }
  await Promise.all(people.map(work))

  const [ann, ben] = people as [Caller, Caller]
  const before = statusOf()
  const items = await openTriage(ann)({ ids: ids.filter((_, index) => index % 2 === 0), status: 'IGNORED' })
  const moved = new Set(items.map(({ id }) => id).filter((_, index) => index % 3 === 0))
  await openTriage(ben)({ ids: [...moved], status: 'RESOLVED' })
  const held = statusOf()
  await undo(openTriage(ann), items, 'IGNORED')
  const after = statusOf()
  const touched = new Set(items.map(({ id }) => id))
  const wronglyUndone = ids.filter((id) => {
    const wanted = touched.has(id) && !moved.has(id) ? before.get(id) : held.get(id)
    return after.get(id) !== wanted
  })

  const answer = await watching.ask('query_metric', { metricSlug: 'total-findings', dimensions: ['status'] })
  const rows = store.read((reader) => ({
    history: reader
      .prepare('SELECT finding_id, from_status, to_status, actor FROM status_change ORDER BY finding_id, seq')
      .raw()
      .all() as [number, number, number, string][],
    audit: reader
      .prepare(
        "SELECT actor, sum(CAST(after ->> '$.findings' AS BIGINT)) FROM audit WHERE kind = 'finding' GROUP BY actor",
      )
      .raw()
      .all() as [string, number][],
  }))
  const last = new Map<string, number>()
  let broken = 0
  for (const [id, from, to] of rows.history) {
    if ((last.get(String(id)) ?? 0) !== from) broken += 1
    last.set(String(id), to)
  }
  for (const [id, status] of after) if ((last.get(id) ?? 0) !== status) broken += 1
  const toTally = (values: Iterable<string>) => {
    const tally: Record<string, number> = {}
    for (const value of values) tally[value] = (tally[value] ?? 0) + 1
    return tally
  }
  return {
    ...result,
    answered: result.answered.sort(),
    recorded: rows.history.map(([id, from, to, actor]) => `${id} ${statuses[from]} ${statuses[to]} ${actor}`).sort(),
    audited: Object.fromEntries(rows.audit),
    changedBy: toTally(rows.history.map(([, , , actor]) => actor)),
    broken,
    counted: Object.fromEntries(
      answer.breakdown.map(({ dimensionValue, value }: { dimensionValue: string; value: number }) => [
        dimensionValue,
        value,
      ]),
    ),
    ended: toTally(ids.map((id) => statuses[last.get(id) ?? 0] ?? 'OPEN')),
    wronglyUndone,
  }
}

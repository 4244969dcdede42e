import { type Command, Option } from 'commander'
import type { FindingStatus } from '../../findings/model.ts'
import { count } from '../../kernel/count.ts'
import { AppError } from '../../kernel/errors.ts'
import { given, isObject } from '../../kernel/json-object.ts'
import { line, showCode, showSentence } from '../../kernel/shown.ts'
import { declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import { addFilterFlags, endOption, mergeFilters } from '../filter-flags.ts'
import type { Flags, Host } from '../host.ts'
import { toJsonObject } from '../json-argument.ts'
import { type Block, command, warning } from '../output/blocks.ts'
import { show, showNote } from '../output/show.ts'
import { agrees } from '../prompt.ts'
import { printJson, type Session, withSession } from '../session.ts'
import type { UndoRecord } from '../undo-file.ts'

const statuses = { 'false-positive': 'FALSE_POSITIVE', ignored: 'IGNORED', resolved: 'RESOLVED', open: 'OPEN' } as const

interface TriageFlags extends Flags {
  as: keyof typeof statuses
  filter?: Record<string, unknown>
  reason?: string
  until?: string
  expect?: keyof typeof statuses
  future?: boolean
  yes?: boolean
  json?: boolean
}

interface TriageAnswer {
  matched: number
  changed: number
  items: UndoRecord['items']
  suppression?: string
}

/** With more changes than this, the previous statuses are kept in a file. */
const MAX_IDS_IN_COMMANDS = 100

export function addTriageCommand(program: Command, host: Host): void {
  const names = Object.keys(statuses)
  const triage = declareDataUse('existing', program.command('triage'))
    .description(
      'set the status of findings: shows how many, asks for confirmation, and prints the command that undoes it',
    )
    .argument('[ids...]', 'ids of findings')
  addFilterFlags(triage)
    .option('--filter <json>', 'filters as JSON, such as {"detectorTypes":["PII"]}', toJsonObject)
    .addOption(new Option('--as <status>', 'the new status').choices(names).makeOptionMandatory())
    .option('--reason <text>', 'reason, for the history; required for false-positive and ignored')
    .option('--until <time>', `${endOption}; then open again`)
    .addOption(new Option('--expect <status>', 'skip findings whose status has changed').choices(names))
    .option('--future', 'with --values: also findings to come, by a suppression')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--json', 'print the response of the REST API')
    .action(async (ids: string[], options: TriageFlags) => {
      const { as, reason, until, expect, future, home } = options
      const filter = mergeFilters({ ...options }, { flag: '--filter', filters: options.filter })
      if ((ids.length === 0) === (filter === undefined))
        throw new UsageError('Give ids of findings, or a filter such as --detector-types PII.')
      if (isDecided(statuses[as]) && reason === undefined)
        throw new UsageError(`--as ${as} needs a reason, for the history; give it with --reason "why".`)
      const members = given({
        ...{ reason, until, future },
        expectedStatus: expect === undefined ? undefined : statuses[expect],
      })
      const chosen = filter === undefined || expect !== undefined || as === 'open' ? filter : onlyOpen(filter)
      const target = chosen === undefined ? { ids } : { filters: chosen }
      await withSession(host, { home }, async (session) => {
        const found = chosen === undefined ? undefined : await preview(session, chosen)
        for (const { message } of found?.warnings ?? []) await showNote(host, warning(message))
        const matched = found?.count ?? new Set(ids).size
        const left = filter === undefined || chosen === filter ? 0 : (await preview(session, filter)).count - matched
        if (left > 0) {
          const are = left === 1 ? line`is` : line`are`
          await showNote(
            host,
            line`${count(left, 'more finding')} ${are} resolved or decided already, and left as ${left === 1 ? line`it is` : line`they are`}; --statuses chooses others.`,
          )
        }
        if (matched === 0 && options.yes !== true) return show(host, line`Nothing was changed: no finding matches.`)
        const question = line`Set ${count(matched, 'finding')} to ${showCode(statuses[as])}?`
        if (options.yes !== true && !(await agrees(host, question))) return show(host, line`Nothing was changed.`)
        const input = {
          ...target,
          ...members,
          status: statuses[as],
          ...(chosen === undefined ? {} : { expectedCount: matched }),
        }
        const answer = await session.call<TriageAnswer>('triage_findings', input)
        if (options.json) return printJson(host, answer)
        const done = line`${answer.changed} of ${answer.matched} changed to ${showCode(statuses[as])}`
        await show(host, done)
        if (answer.changed > 0) await show(host, ...(await toUndo(host, answer, options)))
        if (answer.suppression !== undefined)
          await show(host, command(line`  undo: assay suppressions remove ${showCode(answer.suppression)}`))
      })
    })

  declareDataUse('existing', program.command('undo'))
    .description('restore the previous statuses after a triage of more than 100 findings')
    .argument('[triage]', 'the name that `assay triage` printed (default: the latest)')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--json', 'print the counts as JSON')
    .action(async (wanted: string | undefined, options: Flags & { yes?: boolean; json?: boolean }) => {
      const { readUndo, removeUndo } = await import('../undo-file.ts')
      const folder = host.locate(options).home
      const { name, record } = readUndo(folder, wanted)
      const total = record.items.length
      const question = line`Restore the previous status of ${count(total, 'finding')} now ${showCode(record.status)}?`
      if (options.yes !== true && !(await agrees(host, question))) return show(host, line`Nothing was changed.`)
      const restored = await withSession(host, { home: options.home }, (session) => undo(session, record))
      removeUndo(folder, name)
      if (options.json) return printJson(host, { findings: total, restored })
      const left = total - restored
      const others = line`; ${left} ${left === 1 ? line`has` : line`have`} changed since, and ${left === 1 ? line`is` : line`are`} left as ${left === 1 ? line`it is` : line`they are`}`
      await show(host, line`${restored} of ${count(total, 'finding')} restored${left === 0 ? line`` : others}.`)
    })
}

/** Without a filter by status, a decision is about open findings only. */
const onlyOpen = (filter: Record<string, unknown>): Record<string, unknown> =>
  filter.statuses === undefined && !(isObject(filter.exclude) && filter.exclude.statuses !== undefined)
    ? { ...filter, statuses: ['OPEN'] }
    : filter

/** How many findings a filter matches, with warnings about values that nothing has. */
export const preview = (session: Session, filters: Record<string, unknown>) =>
  session.call<{ count: number; warnings?: { message: string }[] }>('preview_triage', { filters })

/** The commands that restore the previous statuses; findings whose status has changed since are left unchanged. */
async function toUndo(host: Host, { items }: TriageAnswer, { as, home }: TriageFlags): Promise<Block[]> {
  if (items.length > MAX_IDS_IN_COMMANDS) {
    const { keepUndo } = await import('../undo-file.ts')
    const name = keepUndo(host.locate({ home }).home, { status: statuses[as], items }, Date.now())
    return [command(line`  undo: assay undo ${showCode(name)}`)]
  }
  return groupByFormer(items).map(({ ids, from, until }) => {
    const all = showSentence(ids.join(' '), Number.POSITIVE_INFINITY)
    const end = until === undefined ? line`` : line` --until ${showCode(until)}`
    const words = line`${all} --as ${showCode(nameOf(from))} --expect ${showCode(as)} --reason undo${end}`
    return command(line`  undo: assay triage ${words}`)
  })
}

interface Former {
  ids: string[]
  from: FindingStatus
  until: string | undefined
}

/** Findings by the status that they had, and its end. */
function groupByFormer(items: UndoRecord['items']): Former[] {
  const groups = new Map<string, Former>()
  for (const { id, from, until } of items) {
    const key = `${from} ${until ?? ''}`
    const group = groups.get(key) ?? { ids: [], from, until }
    group.ids.push(id)
    groups.set(key, group)
  }
  return [...groups.values()]
}

const isDecided = (status: FindingStatus) => status === 'FALSE_POSITIVE' || status === 'IGNORED'

const nameOf = (status: FindingStatus): string =>
  Object.entries(statuses).find(([, each]) => each === status)?.[0] ?? 'open'

/** Returns how many findings have their previous status again. */
async function undo(session: Session, { status, items }: UndoRecord): Promise<number> {
  let restored = 0
  for (const { ids, from, until } of groupByFormer(items)) {
    // A decision that would have ended by now would be open.
    const isOver = until !== undefined && Date.parse(until) <= Date.now()
    const to = isOver ? 'OPEN' : from
    const more = isDecided(to) && until !== undefined ? { until } : {}
    const input = { ids, status: to, expectedStatus: status, reason: 'undo', ...more }
    try {
      restored += (await session.call<TriageAnswer>('triage_findings', input)).changed
    } catch (error) {
      if (!(error instanceof AppError && error.facts.reason === 'status_changed')) throw error
    }
  }
  return restored
}

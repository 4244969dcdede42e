import { createInterface } from 'node:readline/promises'
import { type Command, Option } from 'commander'
import { joinShown, line, type PrintableText, showCode, showSentence } from '../../kernel/shown.ts'
import { declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import { addFilterFlags, mergeFilters } from '../filter-flags.ts'
import type { Flags, Host } from '../host.ts'
import { toJsonObject } from '../json-argument.ts'
import { print, printJson, type Session, withSession } from '../session.ts'

const statuses = { 'false-positive': 'FALSE_POSITIVE', ignored: 'IGNORED', resolved: 'RESOLVED', open: 'OPEN' } as const

interface TriageFlags extends Flags {
  as: keyof typeof statuses
  filter?: Record<string, unknown>
  reason?: string
  until?: string
  expect?: keyof typeof statuses
  yes?: boolean
  json?: boolean
}

interface TriageAnswer {
  matched: number
  changed: number
  items: { id: string; from: string; until?: string }[]
}

/** Maximum number of ids in a command that undoes a part. */
const MAX_IDS_IN_COMMAND = 100
/** With more ids than this, `--json` lists them instead. */
const MAX_IDS_SHOWN = 1_000

export function addTriageCommand(program: Command, host: Host): void {
  const names = Object.keys(statuses)
  const command = declareDataUse('existing', program.command('triage'))
    .description(
      'set the status of findings: shows how many, asks for confirmation, and prints the command that undoes it',
    )
    .argument('[ids...]', 'ids of findings')
  addFilterFlags(command)
    .option('--filter <json>', 'filters as JSON, such as {"detectorTypes":["PII"]}', toJsonObject)
    .addOption(new Option('--as <status>', 'the new status').choices(names).makeOptionMandatory())
    .option('--reason <text>', 'reason, for the history; required for false-positive and ignored')
    .option('--until <timestamp>', 'end of false-positive or ignored, such as 2030-06-30T00:00:00Z')
    .addOption(new Option('--expect <status>', 'skip findings whose status has changed').choices(names))
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--json', 'print the response of the REST API')
    .action(async (ids: string[], options: TriageFlags) => {
      const { as, reason, until, expect, home } = options
      const filter = mergeFilters({ ...options }, { flag: '--filter', filters: options.filter })
      if ((ids.length === 0) === (filter === undefined))
        throw new UsageError('Give ids of findings, or a filter such as --detector-types PII.')
      const given = { reason, until, expectedStatus: expect === undefined ? undefined : statuses[expect] }
      const members = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
      const target = filter === undefined ? { ids } : { filters: filter }
      await withSession(host, { home }, async (session) => {
        const count = filter === undefined ? new Set(ids).size : await preview(session, filter)
        const question = line`Set ${count} ${count === 1 ? line`finding` : line`findings`} to ${showCode(statuses[as])}?`
        if (options.yes !== true && !(await confirms(host, question))) return print(host, line`Nothing was changed.`)
        const input = {
          ...target,
          ...members,
          status: statuses[as],
          ...(filter === undefined ? {} : { expectedCount: count }),
        }
        const answer = await session.call<TriageAnswer>('triage_findings', input)
        if (options.json) return printJson(host, answer)
        print(
          host,
          line`${answer.changed} of ${answer.matched} changed to ${showCode(statuses[as])}`,
          ...toUndo(answer, as),
        )
      })
    })
}

async function preview(session: Session, filters: Record<string, unknown>): Promise<number> {
  const { count } = await session.call<{ count: number }>('preview_triage', { filters })
  return count
}

async function confirms(host: Host, question: PrintableText): Promise<boolean> {
  const asking = createInterface({ input: host.stdin, output: host.stderr })
  try {
    const answer = await asking.question(`${question} [y/N] `, { signal: host.signal })
    return /^y(?:es)?$/i.test(answer.trim())
  } finally {
    asking.close()
  }
}

/** The commands that restore the previous statuses; findings whose status has changed since are left unchanged. */
function toUndo({ items }: TriageAnswer, as: keyof typeof statuses): PrintableText[] {
  const former = new Map(items.map((item) => [toFormer(item), item]))
  return [...former].flatMap(([key, { from: status, until }]) => {
    const ids = items.filter((item) => toFormer(item) === key).map(({ id }) => id)
    if (ids.length > MAX_IDS_SHOWN)
      return [
        line`  ${ids.length} of them were ${showCode(status)}: too many to list here for an undo; next time, --json lists them.`,
      ]
    const name = Object.entries(statuses).find(([, each]) => each === status)?.[0] ?? 'open'
    const reason = status === 'FALSE_POSITIVE' || status === 'IGNORED' ? line` --reason undo` : line``
    const end = until === undefined ? line`` : line` --until ${showCode(until)}`
    const commands = Math.ceil(ids.length / MAX_IDS_IN_COMMAND)
    return Array.from({ length: commands }, (_, at) => {
      const part = ids.slice(at * MAX_IDS_IN_COMMAND, (at + 1) * MAX_IDS_IN_COMMAND)
      const all = joinShown(part.map(showCode)).replaceAll(', ', ' ')
      return line`  undo: assay triage ${showSentence(all, Number.POSITIVE_INFINITY)} --as ${showCode(name)} --expect ${showCode(as)}${reason}${end}`
    })
  })
}

const toFormer = ({ from, until = '' }: TriageAnswer['items'][number]) => `${from} ${until}`

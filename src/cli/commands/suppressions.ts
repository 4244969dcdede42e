import { type Command, Option } from 'commander'
import { count } from '../../kernel/count.ts'
import { given } from '../../kernel/json-object.ts'
import { joinShown, line, showCode } from '../../kernel/shown.ts'
import { type DataUse, declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import { listLeaves } from '../facts.ts'
import { addFilterFlags, splitFilter } from '../filter-flags.ts'
import type { Flags, Host } from '../host.ts'
import { cell, command as shellCommand, table, warning } from '../output/blocks.ts'
import { addFormats, present, show, showNote } from '../output/show.ts'
import { agrees } from '../prompt.ts'
import { printJson, withSession } from '../session.ts'
import { preview } from './triage.ts'

interface Suppression {
  id: string
  filters: Record<string, unknown>
  valueFingerprint?: string
  patterns: { field: string; pattern: string }[]
  status: string
  reason: string
  until?: string
}

interface SuppressionFlags extends Flags {
  json?: boolean
  format?: string
  yes?: boolean
}

interface AddFlags extends SuppressionFlags {
  reason: string
  value?: string
  as: 'ignored' | 'false-positive'
  until?: string
}

export function addSuppressionCommands(program: Command, host: Host): void {
  const suppressions = program
    .command('suppressions')
    .description('decisions that apply to present and future findings: see, add and remove them')
  const command = (name: string, description: string, use: DataUse = 'existing') =>
    declareDataUse(use, suppressions.command(name, { isDefault: name === 'list' })).description(description)

  addFormats(command('list', 'list the suppressions')).action(async (options: SuppressionFlags) => {
    const answer = await withSession(host, options, (session) =>
      session.call<{ items: Suppression[] }>('list_suppressions', {}),
    )
    await present(host, options, answer, () =>
      answer.items.length === 0
        ? [
            shellCommand(
              line`No suppressions. Add one with: assay suppressions add --containers Archive --reason "read only"`,
            ),
          ]
        : [toTable(answer.items)],
    )
  })

  const add = command('add', 'suppress the open findings that match, and future ones; asks before it does')
    .requiredOption('--reason <text>', 'reason, for the history')
    .option('--value <finding>', 'id of a finding whose value is suppressed wherever it occurs')
    .addOption(
      new Option('--as <status>', 'status that they get').choices(['ignored', 'false-positive']).default('ignored'),
    )
    .option('--until <time>', 'end of the suppression, such as 2030-06-30T00:00:00Z')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--json', 'print the response of the REST API')
  addFilterFlags(add).action(async (options: AddFlags & Record<string, unknown>) => {
    const { filter, others } = splitFilter(options)
    const { home, json, yes, reason, value, as, until } = others as unknown as AddFlags
    const isOpen = Object.keys(filter).length === 0
    if (isOpen && value === undefined)
      throw new UsageError('Give a filter such as --containers Archive, or a finding with --value.')
    await withSession(host, { home }, async (session) => {
      const filters = isOpen ? {} : { filters: filter }
      const status = as.toUpperCase().replace('-', '_')
      const found = value === undefined ? await preview(session, { ...filter, statuses: ['OPEN'] }) : undefined
      for (const { message } of found?.warnings ?? []) await showNote(host, warning(message))
      const what = found === undefined ? line`the findings with this value` : count(found.count, 'open finding')
      if (yes !== true && !(await agrees(host, line`Set ${what}, and future ones, to ${showCode(status)}?`)))
        return show(host, line`Nothing was changed.`)
      const added = await session.call<Suppression & { changed: number }>('create_suppression', {
        ...filters,
        ...given({ findingId: value, status, reason, until }),
      })
      if (json) return printJson(host, added)
      const done = line`Suppression ${showCode(added.id)} is added; ${count(added.changed, 'finding')} changed to ${showCode(status)}.`
      await show(host, done, line`  undo: assay suppressions remove ${showCode(added.id)}`)
    })
  })

  command('remove', 'remove a suppression: findings that it changed are open again, or resolved if they are gone')
    .argument('<id>', 'id of the suppression')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--json', 'print the response of the REST API')
    .action(async (id: string, { json, yes, ...flags }: SuppressionFlags) => {
      await withSession(host, flags, async (session) => {
        const { items } = await session.call<{ items: Suppression[] }>('list_suppressions', {})
        const found = items.find((each) => each.id === id)
        if (found !== undefined && yes !== true) {
          const question = line`Remove suppression ${showCode(found.id)}, so that what it changed is open again?`
          if (!(await agrees(host, question))) return show(host, line`Nothing was changed.`)
        }
        const removed = await session.call<{ changed: number }>('delete_suppression', { id })
        if (json) return printJson(host, removed)
        await show(host, line`Suppression ${showCode(id)} is removed; ${count(removed.changed, 'finding')} restored.`)
      })
    })
}

function toTable(items: readonly Suppression[]) {
  const rows = items.map(({ id, filters, valueFingerprint, patterns, status, reason, until }) => {
    const conditions = [
      ...listLeaves(filters).map(([key, { text }]) => line`${key} ${text}`),
      ...(valueFingerprint === undefined ? [] : [line`one value`]),
      ...patterns.map(({ field, pattern }) => line`${showCode(field)} like ${showCode(pattern)}`),
    ]
    return [
      cell.code(id),
      cell.shown(joinShown(conditions, '; ')),
      cell.status(status),
      cell.sentence(reason),
      cell.time(until, line`-`),
    ]
  })
  const columns = [
    { title: line`id` },
    { title: line`findings`, shrink: 2 },
    { title: line`set to` },
    { title: line`reason`, shrink: 1 },
    { title: line`until` },
  ]
  return table(columns, rows)
}

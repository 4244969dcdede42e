import { type Command, InvalidArgumentError, Option } from 'commander'
import { AppError } from '../../kernel/errors.ts'
import { given } from '../../kernel/json-object.ts'
import { joinShown, line, showCode, showName, showSentence } from '../../kernel/shown.ts'
import { toAmount } from '../../watches/messages.ts'
import type { WatchCondition } from '../../watches/model.ts'
import type { Watch, WatchStateChange } from '../../watches/view.ts'
import { type DataUse, declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import { addFilterFlags, mergeFilters } from '../filter-flags.ts'
import type { Flags, Host } from '../host.ts'
import { toJsonObject } from '../json-argument.ts'
import {
  type Block,
  type Column,
  cell,
  command as shellCommand,
  type TableBlock,
  table,
  warning,
} from '../output/blocks.ts'
import { addFormats, present, show } from '../output/show.ts'
import { toReadersTime } from '../output/times.ts'
import { addSecretOptions, readSecret, readSecretFile, type SecretFlags } from '../secret-input.ts'
import { printJson, type Session, withSession } from '../session.ts'
import { showArgument } from '../shell-words.ts'
import { toWords } from '../slug-name.ts'

interface CreateFlags extends Flags, SecretFlags {
  name?: string
  metric: string
  above?: number
  below?: number
  changeAbove?: number
  for?: number
  last?: string
  by?: string[]
  term?: string
  filters?: Record<string, unknown>
  cron?: string
  webhook?: string
  format: 'json' | 'slack'
  json?: boolean
}

type ListFlags = Flags & { json?: boolean; format?: string }

const noWatches = line`No watches yet. Add one with: assay watch create`

const list = (value: string) => value.split(',').map((item) => item.trim())

export function addWatchCommands(program: Command, host: Host): void {
  const watch = program.command('watch').description('manage watches, which report when a metric crosses a threshold')
  const command = (name: string, description: string, use: DataUse = 'existing') =>
    declareDataUse(use, watch.command(name)).description(description)
  const listing = (name: string, description: string) => addFormats(command(name, description))

  listing('list', 'list the watches and their states').action(async (options: ListFlags) => {
    const answer = await withSession(host, options, (session) => session.call<{ items: Watch[] }>('list_watches', {}))
    await present(host, options, answer, () => (answer.items.length === 0 ? [noWatches] : [toWatchTable(answer.items)]))
  })

  listing('show', 'show a watch, its groups and its last changes of state')
    .argument('<slug>', 'the watch')
    .action(async (slug: string, options: ListFlags) => {
      const found = await withSession(host, options, (session) =>
        session.call<Watch & { history: WatchStateChange[] }>('get_watch', { slug }),
      )
      const history = found.history.map(({ at, state, previousState, value, group }): Block => {
        const of = group === undefined ? line`` : line` ${showGroup(group)}`
        const change = [line`${toReadersTime(at)} ${showCode(previousState)} → `, cell.status(state)]
        return [...change, line`${of} ${showValue(value, found.condition)}`]
      })
      await present(host, options, found, () => [toWatchTable([found]), ...toGroupLines(found), ...history])
    })

  const create = command('create', 'watch a metric', 'created')
    .option('--json', 'print the response of the REST API')
    .argument('<slug>', 'name of the watch, such as open-criticals')
    .requiredOption('--metric <metric>', 'the metric: slug, id, display name or synonym')
    .option('--name <name>', 'name for people (default: the slug in words)')
    .option('--above <n>', 'fire when the value is above this', toNumber)
    .option('--below <n>', 'fire when the value is below this', toNumber)
    .option('--change-above <fraction>', 'fire when it has grown by more than this fraction, such as 0.2', toNumber)
    .option('--for <n>', 'consecutive evaluations for which the condition must hold (default 1)', toNumber)
    .option('--last <window>', 'range of a flow metric, such as 7d')
    .option('--by <list>', 'dimensions; each group has its own state', list)
    .option('--term <term>', 'restrict the metric to a glossary term')
    .option('--filters <json>', 'filters as JSON, such as {"severities":["HIGH"]}', toJsonObject)
  addFilterFlags(create)
    .option('--cron <expression>', 'cron expression of further evaluations, in UTC')
    .option('--webhook <url>', 'https address to which changes of state are sent, or @FILE that contains it')
    .addOption(new Option('--format <format>', 'with --webhook: its format').choices(['json', 'slack']).default('json'))
  addSecretOptions(create, 'with --webhook: the key that signs the messages').action(
    async (slug: string, options: CreateFlags) => {
      const input = { slug, ...toInput(slug, options, await readSecret(host, options)) }
      const { home } = options
      await withSession(host, { home }, async (session) => {
        const created = await session.call<Watch>('create_watch', input)
        if (options.json) return printJson(host, created)
        await show(
          host,
          shellCommand(
            line`${showCode(slug)} is evaluated after each scan and import; see it with: assay watch show ${showCode(slug)}`,
          ),
          await toFirstEvaluation(session, slug),
        )
      })
    },
  )

  command('delete', 'delete a watch with its history')
    .option('--json', 'print the response of the REST API')
    .argument('<slug>', 'the watch')
    .action(async (slug: string, options: Flags & { json?: boolean }) => {
      const deleted = await withSession(host, options, (session) => session.call<Watch>('delete_watch', { slug }))
      if (options.json) return printJson(host, deleted)
      await show(host, line`${showCode(slug)} is deleted`)
    })

  addFormats(declareDataUse('existing', program.command('check')))
    .description('evaluate watches now; exit 1 if one fires or its state is unknown')
    .argument('[slugs...]', 'the watches (default: all)')
    .option('--allow-unknown', 'exit 0 despite unknown states')
    .action(async (slugs: string[], options: ListFlags & { allowUnknown?: boolean }) => {
      const { home } = options
      const answer = await withSession(host, { home }, (session) =>
        session.call<{ items: Watch[] }>('check_watches', slugs.length === 0 ? {} : { watches: slugs }),
      )
      await present(host, options, answer, () =>
        answer.items.length === 0
          ? [noWatches]
          : [toWatchTable(answer.items), ...answer.items.flatMap(toGroupLines), ...toFailingLines(answer.items)],
      )
      const counts = { FIRING: 0, UNKNOWN: 0, OK: 0 }
      for (const { state } of answer.items) counts[state] += 1
      if (counts.FIRING > 0 || (counts.UNKNOWN > 0 && options.allowUnknown !== true)) {
        const total = answer.items.length
        const fire = `${counts.FIRING} of ${total} ${total === 1 ? 'watch' : 'watches'} ${counts.FIRING === 1 ? 'fires' : 'fire'}`
        const unknown = counts.UNKNOWN === 0 ? '' : `; the state of ${counts.UNKNOWN} is unknown`
        throw new AppError('conflict', `${fire}${unknown}.`)
      }
    })
}

function toInput(slug: string, options: CreateFlags, secret: string | undefined) {
  const { metric, name, last, by, term, cron } = options
  const filters = mergeFilters({ ...options }, { flag: '--filters', filters: options.filters })
  const conditions = (['above', 'below', 'changeAbove'] as const).flatMap((kind) => {
    const value = options[kind]
    return value === undefined ? [] : [{ kind, value, ...(options.for === undefined ? {} : { for: options.for }) }]
  })
  const [condition] = conditions
  if (condition === undefined || conditions.length > 1)
    throw new UsageError('Give one of --above, --below and --change-above.')
  const members = { last, dimensions: by, glossaryTermSlug: term, filters, cron, deliver: toReceivers(options, secret) }
  const displayName = name ?? toWords(slug)
  return { displayName, metricSlug: metric, condition, ...given(members) }
}

/** What makes the first evaluation: a check now, or first something to evaluate. */
async function toFirstEvaluation(session: Session, slug: string): Promise<Block> {
  const { items } = await session.call<{ items: { name: string; type: string; counts: { assets: number } }[] }>(
    'list_sources',
    {},
  )
  if (items.some(({ counts }) => counts.assets > 0))
    return shellCommand(line`Evaluate it now: assay check ${showCode(slug)}`)
  const found = items.find(({ type }) => type !== 'IMPORT')
  return shellCommand(
    found === undefined
      ? line`Its state is unknown until something is scanned; add a source: assay sources add`
      : line`Its state is unknown until something is scanned: assay scan ${showArgument(found.name)}`,
  )
}

function toReceivers({ webhook, format }: CreateFlags, secret: string | undefined): object[] | undefined {
  if (webhook !== undefined) {
    const url = webhook.startsWith('@') ? readSecretFile(webhook.slice(1), '--webhook') : webhook
    return [{ type: 'webhook', url, format, ...given({ secret }) }]
  }
  if (secret !== undefined) throw new UsageError('A secret goes with --webhook.')
  return undefined
}

const showValue = (value: number | null, condition: WatchCondition) => showSentence(toAmount(value, condition))

const showGroup = (group: Record<string, string>) =>
  joinShown(
    Object.values(group).map((name) => showName(name)),
    ' / ',
  )

const watchColumns: Column[] = [
  { title: line`watch`, shrink: 1 },
  { title: line`state` },
  { title: line`metric`, shrink: 2 },
  { title: line`value`, align: 'right' },
  { title: line`condition`, shrink: 3 },
  { title: line`evaluated`, shrink: 4, min: 16, isOptional: true },
]

function toWatchTable(watches: readonly Watch[]): TableBlock {
  const rows = watches.map(({ slug, state, reason, metricSlug, value, condition, evaluatedAt, dimensions }) => [
    cell.code(slug),
    reason === undefined
      ? cell.status(state)
      : { ...cell.status(state), text: line`${showCode(state)} (${showSentence(reason.replaceAll('_', ' '))})` },
    cell.code(metricSlug),
    dimensions.length > 0
      ? cell.shown(line`by ${joinShown(dimensions.map(showCode))}`)
      : cell.shown(showValue(value, condition), value),
    cell.shown(line`${showCode(condition.kind)} ${showValue(condition.value, condition)}`),
    cell.time(evaluatedAt),
  ])
  return table(watchColumns, rows)
}

/** Why the state of a watch is unknown, and its groups that are not OK. */
const toGroupLines = ({ slug, groups, message, condition }: Watch): Block[] => [
  ...(message === undefined ? [] : [line`${showCode(slug)}: ${showSentence(message)}`]),
  ...groups
    .filter(({ state }) => state !== 'OK')
    .map(({ group, state, value }) => [
      line`${showCode(slug)} ${showGroup(group)}: `,
      cell.status(state),
      line` ${showValue(value, condition)}`,
    ]),
]

/** One line for each metric that is watched though a test of it fails. */
function toFailingLines(watches: readonly Watch[]): Block[] {
  const failing = new Map(watches.map(({ metricSlug, failingTests = [] }) => [metricSlug, failingTests]))
  return [...failing].flatMap(([slug, tests]) =>
    tests.length === 0 ? [] : warning(`${slug} is failing: ${tests.join(' ')}`),
  )
}

function toNumber(value: string): number {
  const number = Number(value)
  if (value.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('Must be a number.')
  return number
}

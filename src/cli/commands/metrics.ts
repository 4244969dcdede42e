import { type Command, Option } from 'commander'
import { given } from '../../kernel/json-object.ts'
import { joinShown, line, showCode, showName, showSentence } from '../../kernel/shown.ts'
import type { Metric, MetricDetail } from '../../metrics/view.ts'
import type { Impact } from '../../query/impact-model.ts'
import { type DataUse, declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import { listLeaves, toFacts } from '../facts.ts'
import { addFilterFlags, splitFilter } from '../filter-flags.ts'
import { toShare } from '../flag-numbers.ts'
import type { Flags, Host } from '../host.ts'
import { toImpactBlocks } from '../impact-text.ts'
import { toJsonObject } from '../json-argument.ts'
import { listDimensions, type MetricFlags, toDefinition } from '../metric-entry.ts'
import { type Block, cell, command as shellCommand, table, warning } from '../output/blocks.ts'
import { addFormats, present, show, showNote } from '../output/show.ts'
import { agrees, askChoice, askText, isInteractive } from '../prompt.ts'
import { removeNamed } from '../remove-named.ts'
import { printJson, withSession } from '../session.ts'
import { toWords } from '../slug-name.ts'

interface ListFlags extends Flags {
  json?: boolean
  format?: string
  search?: string
  type?: string
  status?: string
  term?: string
}

interface CreateFlags extends ListFlags, MetricFlags {
  name?: string
  description?: string
  unit?: string
  format?: string
  owner?: string
}

const list = (value: string) => value.split(',').map((item) => item.trim())
const upper = (value: string) => value.toUpperCase()

export function addMetricCommands(program: Command, host: Host): void {
  const metrics = program.command('metrics').description('metrics: numbers that are defined once and certified')
  const command = (name: string, description: string, use: DataUse = 'existing') =>
    declareDataUse(use, metrics.command(name, { isDefault: name === 'list' })).description(description)

  addFormats(command('list', 'list the metrics'))
    .option('--search <words>', 'only metrics with these words')
    .option('--type <type>', 'only this type: SIMPLE, RATIO, DERIVED or TREND', upper)
    .option('--status <status>', 'only this status: DRAFT, ACTIVE or DEPRECATED', upper)
    .option('--term <term>', 'only metrics of this term')
    .action(async ({ json, format, home, search, type, status, term }: ListFlags) => {
      const input = given({ search, type, status, glossaryTermSlug: term })
      const answer = await withSession(host, { home }, (session) =>
        session.call<{ items: Metric[]; total: number }>('list_metrics', input),
      )
      await present(host, { json, format }, answer, () => toMetricTable(answer.items, answer.total))
    })

  addFormats(command('show', 'show a metric: what it counts, its breakdowns, its certification, and what uses it'))
    .argument('<metric>', 'slug, id, display name or synonym of the metric')
    .action(async (slug: string, { json, format, home }: ListFlags) => {
      const metric = await withSession(host, { home }, (session) => session.call<MetricDetail>('get_metric', { slug }))
      await present(host, { json, format }, metric, () => toLines(metric))
    })

  addCreateOptions(
    command('create', 'create a metric, which counts findings unless the options say otherwise', 'created')
      .option('--json', 'print the response of the REST API')
      .argument('[slug]', 'its permanent name, such as open-secrets'),
  ).action(async (slug: string | undefined, options: CreateFlags & Record<string, unknown>) => {
    const { filter, others } = splitFilter(options)
    const { json, home, name, description, unit, format, owner, term, ...flags } = others as unknown as CreateFlags
    if (slug === undefined && !isInteractive(host))
      throw new UsageError('Without a terminal to ask on, give a slug, such as open-secrets.')
    const made = toDefinition(flags, filter)
    await withSession(host, { home }, async (session) => {
      const isOpen = made.type === 'SIMPLE' && Object.keys(filter).length === 0 && flags.mode === undefined
      const asks = slug === undefined && isOpen
      const named =
        slug ?? (await askText(host, line`A permanent name for the metric`, { placeholder: 'open-secrets' }))
      if (asks) {
        const mode = await askChoice(host, line`What does it count?`, [
          { value: 'stock', label: 'What is in a state now', hint: 'such as findings that are open' },
          { value: 'flow', label: 'What happened in a range of time', hint: 'such as findings first detected' },
        ])
        const { askFilter } = await import('../filter-questions.ts')
        const filters = await askFilter(host, session)
        Object.assign(made.definition, { mode }, Object.keys(filters).length === 0 ? {} : { filters })
      }
      const metric = await session.call<Metric & { warnings?: { message: string }[] }>('create_metric', {
        slug: named,
        displayName: name ?? toWords(named),
        type: made.type,
        definition: made.definition,
        allowedDimensions: flags.by ?? (await listDimensions(session, made)),
        ...given({ description, unit, format, owner, glossaryTermSlug: term }),
      })
      if (json) printJson(host, metric)
      else {
        const is = line`${showCode(metric.slug)} is created as a draft.`
        const next = line`Ask it: assay query ${showCode(metric.slug)}`
        const certify = line`Certify it: assay metrics certify ${showCode(metric.slug)}`
        await show(host, is, shellCommand(next), shellCommand(certify))
      }
      for (const { message } of metric.warnings ?? []) await showNote(host, warning(message))
    })
  })

  command('certify', 'certify the current version of a metric, so that its answers say so')
    .option('--json', 'print the response of the REST API')
    .argument('<metric>', 'slug, id, display name or synonym of the metric')
    .option('--by <name>', 'on whose behalf (default: yours)')
    .option('-y, --yes', 'do not show what depends on it, and do not ask')
    .action(async (slug: string, { json, home, by, yes }: Flags & { json?: boolean; by?: string; yes?: boolean }) => {
      await withSession(host, { home }, async (session) => {
        if (yes !== true && json !== true) {
          for (const block of toImpactBlocks(await session.call<Impact>('get_metric_impact', { slug })))
            await showNote(host, block)
          if (isInteractive(host) && !(await agrees(host, line`Certify ${showName(slug)}?`)))
            return show(host, line`Nothing was changed.`)
        }
        const before = await session.call<MetricDetail>('get_metric', { slug })
        const metric = await session.call<Metric>('certify_metric', { slug, ...given({ certifiedBy: by }) })
        if (json) return printJson(host, metric)
        await show(host, line`${showCode(metric.slug)}: ${showSentence(metric.trust.label)}`)
        if (before.trust.tier === 'certified') await show(host, line`Before: ${showSentence(before.trust.label)}`)
      })
    })

  addFormats(command('impact', 'show what a change of a metric would do to its numbers and to what uses it'))
    .argument('<metric>', 'slug, id, display name or synonym of the metric')
    .argument('[change]', 'the changed members as JSON, such as {"glossaryTermSlug":"pii-exposure"}', toJsonObject)
    .action(async (slug: string, change: Record<string, unknown> = {}, { json, format, home }: ListFlags = {}) => {
      const impact = await withSession(host, { home }, (session) =>
        session.call<Impact>('get_metric_impact', { slug, ...change }),
      )
      await present(host, { json, format }, impact, () => toImpactBlocks(impact))
    })

  command('remove', 'remove a metric that no other metric and no dashboard uses')
    .option('--json', 'print the response of the REST API')
    .argument('<metric>', 'slug, id, display name or synonym of the metric')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (wanted: string, { home, ...options }: Flags & { json?: boolean; yes?: boolean }) => {
      await withSession(host, { home }, async (session) => {
        const { slug } = await session.call<MetricDetail>('get_metric', { slug: wanted })
        const remove = { operation: 'delete_metric', input: { slug } }
        await removeNamed(host, session, { name: showCode(slug), ...remove, ...options })
      })
    })
}

function addCreateOptions(command: Command): Command {
  const described = command
    .option('--name <name>', 'name for people (default: the slug in words)')
    .option('--description <text>', 'what it means and counts')
    .addOption(new Option('--of <what>', 'what is counted').choices(['finding', 'asset']).default('finding'))
    .addOption(
      new Option('--mode <mode>', 'flow: what happened in a range; stock: what is in a state').choices([
        'flow',
        'stock',
      ]),
    )
    .option('--aggregation <name>', 'COUNT, COUNT_DISTINCT, SUM, AVG, MIN, MAX, MEDIAN or PERCENTILE', upper, 'COUNT')
    .option('--field <name>', 'the field to aggregate, such as resolutionHours')
    .option('--percentile <n>', 'of PERCENTILE: from 0 to 1', toShare)
    .option('--last <window>', 'count over a rolling window, such as 28d')
    .option('--numerator <metric>', 'a ratio: the metric above the line')
    .option('--denominator <metric>', 'a ratio: the metric below the line')
    .option('--formula <text>', 'a formula over metrics, such as "open_findings / total_findings"')
    .option('--trend-of <metric>', 'a trend: the metric that is compared with its own past')
    .option('--window <window>', 'a trend: the length of both ranges, such as 7d')
    .option('--term <term>', 'a glossary term that always filters it')
    .option('--by <list>', 'the breakdowns that it allows (default: all that fit)', list)
    .option('--unit <unit>', 'unit of its value, such as findings')
    .addOption(new Option('--format <format>', 'how values are written').choices(['number', 'percentage', 'duration']))
    .option('--owner <name>', 'who is responsible for it')
  return addFilterFlags(described)
}

function toMetricTable(items: readonly Metric[], total: number): Block[] {
  if (items.length === 0) return [line`No metrics match.`]
  const rows = items.map(({ slug, displayName, type, trust, glossaryTermSlug }) => [
    cell.code(slug),
    cell.name(displayName),
    cell.code(type),
    cell.status(trust.tier),
    glossaryTermSlug === null ? cell.none : cell.code(glossaryTermSlug),
  ])
  const columns = [
    { title: line`metric` },
    { title: line`name`, shrink: 2 },
    { title: line`type`, shrink: 3, isOptional: true as const },
    { title: line`trust` },
    { title: line`term`, shrink: 1, isOptional: true as const },
  ]
  return [table(columns, rows), ...(total > items.length ? [line`${items.length} of ${total} metrics`] : [])]
}

function toLines(metric: MetricDetail): Block[] {
  const { slug, displayName, description, type, definition, allowedDimensions, unit, format, trust, usedBy } = metric
  const codes = (names: readonly string[] = []) => joinShown(names.map((name) => showCode(name)))
  const users = [codes(usedBy.metrics), codes(usedBy.dashboards), codes(usedBy.watches)].filter((each) => each !== '')
  return [
    line`${showName(displayName)} (${showCode(slug)})`,
    toFacts(
      [line`description`, cell.sentence(description)],
      [line`type`, cell.code(type)],
      ...listLeaves(definition),
      metric.glossaryTermSlug === null ? undefined : [line`term`, cell.code(metric.glossaryTermSlug)],
      unit === '' ? undefined : [line`unit`, cell.name(unit)],
      [line`format`, cell.code(format)],
      [line`breakdowns`, cell.shown(codes(allowedDimensions))],
      [line`synonyms`, cell.shown(joinShown(metric.synonyms.map((each) => showName(each))))],
      metric.owner === null ? undefined : [line`owner`, cell.name(metric.owner)],
      [line`version`, cell.number(metric.version)],
      [line`used by`, cell.shown(joinShown(users))],
    ),
    showSentence(trust.label),
  ]
}

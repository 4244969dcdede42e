import { joinShown, line, type PrintableText, showCode, showName, showNames, showSentence } from '../kernel/shown.ts'
import { splitDoubts } from '../query/answer/doubts.ts'
import type { Applied, Freshness, MetricAnswer, QueryWarning } from '../query/model.ts'
import { inCommands, toOption } from './command-words.ts'
import { type Fact, toFacts } from './facts.ts'
import { toFlag } from './filter-flags.ts'
import { type Block, cell, warning } from './output/blocks.ts'
import { readersZone, toBucketTime, toReadersTime } from './output/times.ts'
import { showArgument } from './shell-words.ts'

/** The parts of an answer that say what was counted. */
export type ContextView = Pick<MetricAnswer, 'metric' | 'trust' | 'warnings' | 'applied' | 'freshness' | 'diagnosis'> &
  Partial<Pick<MetricAnswer, 'breakdown' | 'totalGroups'>>

type WarningContext = Pick<ContextView, 'warnings' | 'breakdown' | 'totalGroups'> & { metric: { slug?: string } }

/** The warnings that are shown before a number, because it would be misread without them. */
export const toDoubts = (view: ContextView): Block[] => toWarnings({ ...view, warnings: splitDoubts(view).doubts })

/** What was counted, how far to trust it, and why there is nothing. */
export function toContext(view: ContextView): Block[] {
  const facts = listFacts(view).filter(([, { text }]) => text !== noFilters)
  const rest = { ...view, ...splitDoubts(view) }
  return [...toTrust(rest), toFacts(...facts), ...toWarnings(rest), ...toDiagnosis(rest)]
}

/** The same of a further metric of a question: what differs from the first one. */
export function toFurtherContext(view: ContextView, first: ContextView): Block[] {
  const before = new Map(listFacts(first).map(([name, { text }]) => [name, text]))
  const facts = listFacts(view)
  const [shared, own] = [true, false].map((wanted) =>
    facts.filter(([name, { text }]) => (before.get(name) === text) === wanted),
  ) as [Fact[], Fact[]]
  const said = new Set(first.warnings.map(({ message }) => message))
  const rest = splitDoubts(view)
  const warnings = rest.warnings.filter(({ message }) => !said.has(message))
  return [
    ...toTrust({ ...view, ...rest }),
    toFacts(...own),
    ...(shared.length === 0 ? [] : [line`The same as above: ${joinShown(shared.map(([name]) => name))}.`]),
    ...toWarnings({ ...view, warnings }),
    ...(view.diagnosis?.summary === first.diagnosis?.summary ? [] : toDiagnosis(rest)),
  ]
}

const noFilters = line`none`

function listFacts({ applied, freshness }: ContextView): Fact[] {
  const filters = applied.filters.length === 0 ? cell.shown(noFilters) : showFilters(applied.filters)
  return [[line`filters`, filters], toRange(applied), [line`data`, cell.shown(showSources(freshness))]]
}

/** The level of trust; the warning about a draft says the same and what to do. */
const toTrust = ({
  trust,
  warnings,
}: Pick<ContextView, 'warnings'> & { trust: ContextView['trust'] | undefined }): Block[] =>
  trust === undefined || (trust.tier === 'draft' && warnings.some(({ code }) => code === 'draft'))
    ? []
    : [showSentence(trust.label)]

const toDiagnosis = ({ diagnosis }: { diagnosis?: ContextView['diagnosis'] | undefined }): Block[] =>
  diagnosis === undefined ? [] : [warning(inOptions(diagnosis.summary))]

/** The warnings, addressed to the person who typed the command. */
export const toWarnings = (view: WarningContext): Block[] => view.warnings.map((each) => warning(reword(each, view)))

function reword({ code, message, suggestions = [] }: QueryWarning, view: WarningContext): string {
  const { metric, breakdown = [], totalGroups } = view
  if (code === 'draft' && metric.slug !== undefined)
    return `${metric.slug} is a draft that no one has certified; once it is reviewed: assay metrics certify ${metric.slug}`
  if (code === 'truncated' && totalGroups !== undefined)
    return `The first ${breakdown.length} of ${totalGroups} groups are listed; --limit lists more.`
  if (code === 'no_policy')
    return 'There is no policy of due dates yet; set one with: assay sla set --days CRITICAL=7,HIGH=30'
  const near =
    suggestions.length === 0 || code === 'other_meaning'
      ? ''
      : code === 'tie_cut'
        ? ` Left out: ${showNames(suggestions.map(({ value }) => value))}.`
        : ` Closest: ${joinShown(suggestions.map(({ key, value }) => line`${showSentence(toFlag(key))} ${showArgument(value)}`))}.`
  return `${inOptions(message)}${near}`
}

/** A sentence of an answer with the options of the command line in place of the members of a request. */
export function inOptions(text: string): string {
  return inCommands(text)
    .replaceAll(/\bthe caller (requires|excludes) (\w+)/g, (_, verb: string, key: string) =>
      verb === 'requires' ? `${toFlag(key)} requires` : `--exclude leaves out ${key}`,
    )
    .replace(/^filters\.(\w+)/, (_, key: string) => toFlag(key))
    .replace(/^[a-z]\w*(?:\[\d+\])?(?= was )/, toOption)
    .replace(/^t(?=he metric)/, 'T')
}

const origins: Readonly<Record<string, PrintableText>> = {
  metric: line`from the metric`,
  term: line`from the term`,
  placement: line`from the dashboard`,
}

function showFilters(filters: Applied['filters']) {
  const shown = filters.map(({ origin, key, values, term, part }) => {
    const listed = showNames(values)
    const of = part === undefined ? line`` : line`, ${showName(part)}`
    if (term !== undefined) return line`${showSentence(key)} ${listed} (from the term ${showCode(term)}${of})`
    if (origin === 'caller') return line`${showSentence(inFlag(key))} ${listed}`
    return line`${showSentence(key)} ${listed} (${origins[origin] ?? showCode(origin)}${of})`
  })
  return cell.shown(joinShown(shown, '; '))
}

const inFlag = (key: string) => (key.startsWith('exclude.') ? `--exclude ${key.slice(8)}` : toFlag(key))

const timeWords: Readonly<Record<string, string>> = {
  firstDetectedAt: 'first detection',
  lastDetectedAt: 'last detection',
  resolvedAt: 'resolution',
  firstSeenAt: 'the first time an asset was seen',
  lastSeenAt: 'the last time an asset was seen',
  lastScannedAt: 'the last scan of an asset',
  contentUpdatedAt: 'the last change of the content',
}

/** What `toRange` needs of a query as it was run. */
export type AppliedRange = Omit<Applied, 'filters'>

export function toRange({ from, to, asOf, timeField, timeZone }: AppliedRange): Fact {
  const at = (instant: string) => toBucketTime(instant, timeZone)
  if (asOf !== undefined) return [line`as of`, cell.time(asOf)]
  const by = line`by ${joinShown(timeField.split(', ').map((name) => showSentence(timeWords[name] ?? name)))}`
  if (from === null && to === null) return [line`range`, cell.shown(line`all time, ${by}`)]
  const start = from === null ? line`from the beginning` : line`from ${at(from)}`
  const end = to === null ? line`until now` : line`up to ${at(to)}`
  return [line`range`, cell.shown(line`${start} ${end} (${showCode(timeZone)}), ${by}`)]
}

/** Sources that a line names. */
const MAX_SOURCES = 5

/** The sources in scope, with the end of their last complete scan. */
export function showSources({ sources }: Freshness): PrintableText {
  if (sources.length === 0) return line`no source`
  const shown = sources.slice(0, MAX_SOURCES).map(({ name, lastCompletedScanAt, stale }) => {
    if (lastCompletedScanAt === null) return line`${showName(name)}, never scanned`
    const old = stale ? line` (stale)` : line``
    return line`${showName(name)}, complete at ${toReadersTime(lastCompletedScanAt)}${old}`
  })
  const left = sources.length - shown.length
  const zone = sources.some(({ lastCompletedScanAt }) => lastCompletedScanAt !== null)
    ? line` (${showName(readersZone())})`
    : line``
  return line`${joinShown([...shown, ...(left === 0 ? [] : [line`${left} more`])], '; ')}${zone}`
}

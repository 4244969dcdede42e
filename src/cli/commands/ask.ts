import { type Command, Option } from 'commander'
import { AppError } from '../../kernel/errors.ts'
import { given } from '../../kernel/json-object.ts'
import type { MetricAnswer, SeriesAnswer } from '../../query/model.ts'
import type { ViewAnswer } from '../../query/view-model.ts'
import { toAnswerText, toSeriesText } from '../answer-text.ts'
import { declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import { addFilterFlags, endOption, mergeFilters, startOption } from '../filter-flags.ts'
import { upTo } from '../flag-numbers.ts'
import type { Flags, Host } from '../host.ts'
import { toJsonObject } from '../json-argument.ts'
import { addFormats, present, toOutputFormat } from '../output/show.ts'
import { type Session, withSession } from '../session.ts'

const list = (value: string) => value.split(',').map((item) => item.trim())

interface QueryFlags extends Flags {
  by?: string[]
  term?: string
  from?: string
  to?: string
  timeZone?: string
  weekStart?: string
  compare?: string
  also?: string[]
  explain?: boolean
  orderBy?: string
  limit?: number
  series?: string
  dimension?: string
  filters?: Record<string, unknown>
  format?: string
  json?: boolean
}

export function addAskCommands(program: Command, host: Host): void {
  const query = addFilterFlags(declareDataUse('existing', program.command('query')))
    .description('evaluate a metric')
    .argument('<metric>', 'slug, id, display name or synonym of the metric')
    .option('--by <list>', 'dimensions to break it down by, such as severity,detectorType', list)
    .option('--term <term>', 'restrict it to a glossary term')
    .option('--from <time>', startOption)
    .option('--to <time>', endOption)
    .option('--time-zone <zone>', 'IANA zone of days and buckets (default UTC)')
    .option('--week-start <day>', 'with --series week: first day of the week (default monday)')
    .option('--compare <period>', 'previous_period or previous_year')
    .option('--also <list>', 'up to 8 more metrics to ask the same of', list)
    .option('--explain', 'with --compare: which groups the change comes from')
    .addOption(
      new Option('--order-by <number>', 'order of the groups (default value)').choices(['value', 'previous', 'delta']),
    )
    .option('--limit <n>', 'maximum number of groups', upTo(1000))
    .option('--filters <json>', 'filters as JSON, such as {"severities":["HIGH"]}', toJsonObject)
    .addOption(new Option('--series <granularity>', 'return a time series').choices(['hour', 'day', 'week', 'month']))
    .option('--dimension <name>', 'with --series: one series per value of this dimension')
  addFormats(query).action(async (metric: string, options: QueryFlags) => {
    const { by, also, term, series, dimension, compare, explain, orderBy, limit } = options
    const { from, to, timeZone, weekStart } = options
    const filters = mergeFilters({ ...options }, { flag: '--filters', filters: options.filters })
    const format = toOutputFormat(options)
    const ofValues = given({ compare, explain, orderBy, limit, alsoMetrics: also })
    const [first] = Object.keys(ofValues)
    if (series !== undefined && first !== undefined)
      throw new UsageError(`--${flagNames[first] ?? first} cannot be used with --series.`)
    if (series === undefined && dimension !== undefined)
      throw new UsageError('--dimension is for --series only; use --by instead.')
    if (series !== undefined && by !== undefined)
      throw new UsageError('--by cannot be used with --series; use --dimension.')
    const scope = given({ metricSlug: metric, glossaryTermSlug: term, from, to, timeZone, weekStart, filters })
    await withSession(host, options, async (session) => {
      if (series !== undefined) {
        const input = { ...scope, ...given({ granularity: series, dimension }) }
        if (format === 'csv') return session.write('query_metric_timeseries', format, input)
        const answer = await askSeries(session, input)
        return present(host, options, answer, () => toSeriesText(answer))
      }
      const input = { ...scope, ...given({ dimensions: by }), ...ofValues }
      if (format === 'csv') return session.write('query_metric', format, input)
      const answer = await session.call<MetricAnswer>('query_metric', input)
      return present(host, options, answer, () => toAnswerText(answer))
    })
  })
}

/** The series of a metric; of one that is not SIMPLE, as the console draws it. */
async function askSeries(session: Session, input: Record<string, unknown>): Promise<SeriesAnswer> {
  try {
    return await session.call<SeriesAnswer>('query_metric_timeseries', input)
  } catch (error) {
    const isOther = error instanceof AppError && error.facts.reason === 'unsupported_metric_type'
    if (!isOther || input.dimension !== undefined) throw error
    const { series, metric, applied, trust, freshness, warnings } = await session.call<ViewAnswer>(
      'explore_view',
      input,
    )
    return { ...series, metric, applied, trust, freshness, warnings }
  }
}

/** Flags that have another name than the members that they set. */
const flagNames: Readonly<Record<string, string>> = { orderBy: 'order-by', alsoMetrics: 'also' }

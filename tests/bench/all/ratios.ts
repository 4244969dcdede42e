import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// The table of ratios that `npm run bench -- all` makes of the results of its benchmarks.

/** What a benchmark has saved, as JSON. */
type Result = Readonly<Record<string, unknown>>

interface Row {
  /** The benchmark that measures it; its result is in a file of this name. */
  bench: string
  what: string
  rival: string
  ratio(result: Result): number | undefined
  /** The ratio has to be at least this, or at most. */
  target: { least: number } | { most: number }
}

const at = (value: unknown, name: string | number): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[name] : undefined
const toNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined
const member = (name: string) => (result: Result) => toNumber(result[name])

/** The ratio to a rival of a report of figures. */
const reported = (what: string, rival: string) => (result: Result) => {
  const { ratios } = result
  if (!Array.isArray(ratios)) return undefined
  const found: unknown = ratios.find(
    (one: unknown) => String(at(one, 'what')).startsWith(what) && at(one, 'rival') === rival,
  )
  return toNumber(at(found, 'ratio'))
}

/** The 99th percentile in a phase against that at rest. */
const besideWrites = (phase: string) => (result: Result) => {
  const phases = Array.isArray(result.assay) ? (result.assay as unknown[]) : []
  const of = (name: string) =>
    toNumber(
      at(
        phases.find((one) => at(one, 'phase') === name),
        'p99',
      ),
    )
  const [busy, idle] = [of(phase), of('idle')]
  return busy === undefined || idle === undefined ? undefined : busy / idle
}

const rescan = (rival: string) => (result: Result) => {
  const rescans = Array.isArray(result.rescans) ? (result.rescans as unknown[]) : []
  return toNumber(
    at(
      rescans.find((one) => at(one, 'name') === rival),
      'timeAgainstOurs',
    ),
  )
}

const duckDb = 'DuckDB, two threads, the better of two layouts'
const hello = 'hello on @modelcontextprotocol/sdk'

/** Every ratio with its rival and its target, stated here only. */
export const ratioRows: readonly Row[] = [
  {
    bench: 'query',
    what: 'questions and the dashboard of 12, geometric mean',
    rival: duckDb,
    ratio: member('warm'),
    target: { least: 20 },
  },
  { bench: 'query', what: 'the slowest of them', rival: duckDb, ratio: member('leastWarm'), target: { least: 2 } },
  {
    bench: 'query',
    what: 'the same, lookup tables made again each time',
    rival: duckDb,
    ratio: member('cold'),
    target: { least: 5 },
  },
  { bench: 'query', what: 'dashboard of 12', rival: duckDb, ratio: member('dashboard'), target: { least: 50 } },
  {
    bench: 'query',
    what: 'harder questions, geometric mean',
    rival: duckDb,
    ratio: member('hard'),
    target: { least: 5 },
  },
  { bench: 'query', what: 'duration', rival: 'a tenth of the findings', ratio: member('growth'), target: { most: 2 } },
  {
    bench: 'query',
    what: 'dashboard of 12 over HTTP',
    rival: '100,000 findings',
    ratio: member('httpGrowth'),
    target: { most: 2 },
  },
  {
    bench: 'write',
    what: 're-scan',
    rival: 'a plain table with upserts',
    ratio: rescan('a plain upsert table'),
    target: { least: 3 },
  },
  {
    bench: 'write',
    what: 're-scan with the change log',
    rival: 'without it',
    ratio: member('feedCost'),
    target: { most: 1.1 },
  },
  {
    bench: 'write',
    what: 'duration of `assay import`',
    rival: '`read_ndjson` of DuckDB into a table on disk',
    ratio: member('importAgainstDuckDb'),
    target: { most: 5 },
  },
  {
    bench: 'write',
    what: 'the most memory of `assay import`',
    rival: '400 MB',
    ratio: member('importMemory'),
    target: { most: 1 },
  },
  {
    bench: 'mixed',
    what: 'p99 of answers beside 500 findings a second',
    rival: 'at rest',
    ratio: besideWrites('steady'),
    target: { most: 4 },
  },
  {
    bench: 'ready',
    what: 'the first 200 answers from the address on, p95',
    rival: 'the steady median',
    ratio: member('firstP95Ratio'),
    target: { most: 5 },
  },
  {
    bench: 'ready',
    what: 'index built while 4 questions are always in flight',
    rival: 'built at rest',
    ratio: member('buildAskedRatio'),
    target: { most: 1.3 },
  },
  {
    bench: 'ready',
    what: 'memory while the index is read',
    rival: 'the snapshot',
    ratio: member('memoryRatio'),
    target: { most: 1.3 },
  },
  {
    bench: 'ready',
    what: '`POST /semantic/query` by severity',
    rival: '`/health`, same connection',
    ratio: member('healthRatio'),
    target: { most: 2 },
  },
  {
    bench: 'ready',
    what: '`query_metric` by severity over stdio',
    rival: hello,
    ratio: member('stdioRatio'),
    target: { most: 1.5 },
  },
  {
    bench: 'serve',
    what: 'calls a second over stdio',
    rival: hello,
    ratio: reported('tools/call over stdio', hello),
    target: { least: 0.9 },
  },
  {
    bench: 'serve',
    what: 'calls a second over HTTP',
    rival: hello,
    ratio: reported('tools/call over stateless HTTP', hello),
    target: { least: 1 },
  },
  {
    bench: 'start',
    what: 'start to the first `tools/list`',
    rival: hello,
    ratio: reported('start to the first tools/list', hello),
    target: { most: 1 },
  },
]

const show = (ratio: number) => (Math.abs(ratio) >= 10 ? ratio.toFixed(0) : ratio.toFixed(2))
const isMet = (ratio: number, target: Row['target']) =>
  'least' in target ? ratio >= target.least : ratio <= target.most

/** The table in Markdown; a ratio that was not measured is a dash. */
export function toRatioTable(results: Readonly<Record<string, Result | undefined>>): string {
  const lines = ratioRows.map(({ bench, what, rival, ratio, target }) => {
    const result = results[bench]
    const found = result === undefined ? undefined : ratio(result)
    const wanted = 'least' in target ? `at least ${target.least}` : `at most ${target.most}`
    const met = found === undefined ? '' : isMet(found, target) ? 'yes' : 'no'
    return `| ${what} (\`${bench}\`) | ${rival} | ${found === undefined ? '–' : show(found)} | ${wanted} | ${met} |`
  })
  return ['| what (benchmark) | against | ratio | target | met |', '| --- | --- | --- | --- | --- |', ...lines].join(
    '\n',
  )
}

/** The table of the results in a folder. */
export function readRatioTable(folder: string): string {
  const names = [...new Set(ratioRows.map(({ bench }) => bench))]
  const read = (name: string): Result | undefined => {
    const file = join(folder, `${name}.json`)
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Result) : undefined
  }
  return toRatioTable(Object.fromEntries(names.map((name) => [name, read(name)])))
}

const START = '<!-- ratios: written by `npm run bench -- all` -->'
const END = '<!-- end of ratios -->'

/** Replaces the table between the marks of a page. */
export function putRatioTable(page: string, table: string): string {
  const [start, end] = [page.indexOf(START), page.indexOf(END)]
  if (start < 0 || end < start) throw new RangeError(`the page has no place between ${START} and ${END}`)
  return `${page.slice(0, start + START.length)}\n\n${table}\n\n${page.slice(end)}`
}

export function writeRatioTable(file: string, table: string): void {
  writeFileSync(file, putRatioTable(readFileSync(file, 'utf8'), table))
}

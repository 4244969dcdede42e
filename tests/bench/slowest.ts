import { createWriteStream, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { facetNames } from '../../src/findings/facets.ts'
import { forms } from '../../src/http/forms.ts'
import { entityFacts } from '../../src/metrics/model.ts'
import { generateFindings } from '../../src/sample/findings.ts'
import { SeededRandom } from '../properties/query-data.ts'
import { runAssay, type ServingProcess, startAssay } from '../support/assay.ts'
import { print, printMachine, quantile, readCount, readFlags, saveResults } from '../support/bench.ts'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { type Asked, drawQuestions, type Facts, listQuestions, writeAsked } from './slowest/questions.ts'

// Everything that can be asked, drawn from the catalogue and its schemas, over HTTP: the first time in a process, and again.
// npm run bench -- slowest [--rows 2e5] [--seed 1] [--questions 2000] [--all] [--postgres] [--home FOLDER] [--json FILE]

const flags = readFlags({ rows: '2e5', seed: '1', questions: '2000', home: '' }, ['all', 'postgres'])
const rows = readCount('rows', flags.rows)
const seed = readCount('seed', flags.seed)
const count = readCount('questions', flags.questions)

const PATIENCE_MS = 60_000
const SLOW_MS = 300
const SLOWEST = 20
const PAGE = 50
/** The items that are skipped to reach the last page, at most. */
const LAST = 10_000

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

interface Reply {
  status: number
  /** Until the last byte; of a file, until the first. */
  ms: number
  body: unknown
}

function send(
  base: string,
  method: string,
  path: string,
  body: object | undefined,
  form: Asked['form'],
): Promise<Reply> {
  const started = performance.now()
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    accept: forms[form].mediaType,
    ...(text === undefined ? {} : { 'content-type': 'application/json' }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, base), { method, headers, agent }, (response) => {
      const chunks: Buffer[] = []
      const finish = () =>
        resolve({
          status: response.statusCode ?? 0,
          ms: performance.now() - started,
          body: form === 'json' ? JSON.parse(Buffer.concat(chunks).toString() || 'null') : undefined,
        })
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (form === 'json') return
        finish()
        sent.destroy()
      })
      response.on('end', finish)
    })
    sent.setTimeout(PATIENCE_MS, () => {
      resolve({ status: 0, ms: performance.now() - started, body: undefined })
      sent.destroy()
    })
    sent.on('error', (error) => (sent.destroyed ? undefined : reject(error)))
    sent.end(text)
  })
}

/** Members of a query string, as `listQueryMembers` names them. */
const flatten = (input: object, path: readonly string[] = []): [string, string][] =>
  Object.entries(input).flatMap(([key, value]): [string, string][] => {
    const own = key === 'ranges' ? path : [...path, key]
    if (Array.isArray(value)) return value.map((each) => [own.join('.'), String(each)])
    return typeof value === 'object' && value !== null ? flatten(value, own) : [[own.join('.'), String(value)]]
  })

function ask(base: string, { operation, input, form }: Asked, further: object = {}): Promise<Reply> {
  const [method = '', route = ''] = (operation.route ?? '').split(' ')
  const left: Record<string, unknown> = { ...input, ...further }
  const path = route.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(left[name])
    delete left[name]
    return encodeURIComponent(value)
  })
  if (method !== 'GET') return send(base, method, path, left, form)
  const query = new URLSearchParams(flatten(left)).toString()
  return send(base, method, query === '' ? path : `${path}?${query}`, undefined, form)
}

/** The cursor after so many items, or the last one. */
async function findCursor(base: string, asked: Asked, items: number): Promise<object> {
  let cursor: object = {}
  for (let left = items; left > 0; ) {
    const limit = Math.min(475, left)
    const { body } = await ask(base, asked, { limit, ...cursor })
    const next = (body as { nextCursor?: string } | undefined)?.nextCursor
    if (next === undefined) return cursor
    cursor = { cursor: next }
    left -= limit
  }
  return cursor
}

/** A metric of every aggregation, field, instant and mode, beside those that are built in. */
function listMetrics(): object[] {
  const measures = Object.entries(entityFacts).flatMap(([entity, { numericFields, distinctFields, timeFields }]) => [
    ...numericFields.map((field) => ({ entity, aggregation: 'AVG', field })),
    ...numericFields.map((field) => ({ entity, aggregation: 'MEDIAN', field })),
    ...distinctFields.map((field) => ({ entity, aggregation: 'COUNT_DISTINCT', field })),
    ...timeFields.map((timeField) => ({ entity, aggregation: 'COUNT', timeField })),
  ])
  const stocks = [
    { entity: 'finding', aggregation: 'AVG', field: 'confidence', mode: 'stock', filters: { statuses: ['OPEN'] } },
    { entity: 'finding', aggregation: 'COUNT', mode: 'stock', filters: { minConfidence: 0.8 } },
  ]
  return [...measures, ...stocks].map((definition, index) => ({
    slug: `bench-${index}`,
    displayName: `Bench ${index}`,
    type: 'SIMPLE',
    definition,
    allowedDimensions: definition.entity === 'finding' ? facetNames : entityFacts.asset.dimensions,
  }))
}

async function fill(home: string, env: NodeJS.ProcessEnv): Promise<void> {
  const file = join(home, '..', 'findings.ndjson')
  const owners = Math.max(10, Math.ceil(rows / 2000))
  for (const [part, share] of [0.8, 0.2].entries()) {
    const lines = Readable.from(
      generateFindings(Math.ceil(rows * share), part + 1).map((finding) => {
        const number = Number(finding.asset.key.split(':').at(-1))
        const own = { owner: `Owner ${number % owners}`, labels: [`label-${number % 7}`, `topic-${number % 40}`] }
        return `${JSON.stringify({ ...finding, asset: { ...finding.asset, ...own } })}\n`
      }),
    )
    await pipeline(lines, createWriteStream(file))
    const { code, stderr } = await runAssay(['import', file, '--source', `bench ${part}`], { home, env })
    if (code !== 0) throw new Error(`the import ended with ${code}: ${stderr}`)
    rmSync(file)
  }
}

/** Waits until the index answers. */
async function serve(home: string, env: NodeJS.ProcessEnv): Promise<ServingProcess> {
  const server = await startAssay(['serve', '--port', '0', '--no-background'], { home, env })
  if (rows < 50_000) return server
  await new Promise<void>((resolve) => {
    server.child.stderr?.on('data', (text: string) => text.includes('the engine is ready') && resolve())
  })
  return server
}

async function plant(base: string): Promise<void> {
  for (const metric of listMetrics()) {
    const { status, body } = await send(base, 'POST', '/semantic/metrics', metric, 'json')
    if (status !== 201 && status !== 409) throw new Error(`a metric was refused: ${JSON.stringify([metric, body])}`)
  }
  await send(base, 'PUT', '/semantic/sla', { policies: [{ days: { CRITICAL: 7, HIGH: 30, MEDIUM: 90 } }] }, 'json')
}

async function findFacts(base: string): Promise<Facts> {
  type Item = Record<string, unknown> & { slug: string; id: string; name: string }
  const list = async (path: string) =>
    ((await send(base, 'GET', path, undefined, 'json')).body as { items: Item[] } | undefined)?.items ?? []
  const values = new Map<string, string[]>()
  for (const dimension of facetNames) {
    const question = { metricSlug: 'total-findings', dimensions: [dimension], limit: 500 }
    const { body } = await send(base, 'POST', '/semantic/query', question, 'json')
    const { breakdown } = body as { breakdown: { dimensionValue: string; asset?: { key: string } }[] }
    values.set(
      dimension,
      breakdown.map(({ dimensionValue, asset }) => asset?.key ?? dimensionValue),
    )
  }
  const [metrics, terms, dashboards, sources, scans, findings, assets] = await Promise.all(
    [
      '/semantic/metrics?limit=200',
      '/semantic/glossary',
      '/semantic/dashboards',
      '/sources',
      '/scans',
      '/findings?limit=3',
      '/assets?limit=3',
    ].map(list),
  )
  const ids = (items: Item[] = []) => items.map(({ id }) => id)
  return {
    metrics: metrics as unknown as Facts['metrics'],
    terms: (terms ?? []).map(({ slug }) => slug),
    dashboards: (dashboards ?? []).map(({ name }) => name),
    sources: (sources ?? []).map(({ name }) => name),
    scans: ids(scans),
    findings: ids(findings),
    assets: ids(assets),
    values,
    now: Date.now(),
  }
}

interface Measured {
  question: string
  coldMs: number
  warmMs: number
}

async function measure(base: string, questions: Iterable<Asked>) {
  const [measured, refused]: [Measured[], string[]] = [[], []]
  for (const asked of questions) {
    const items = asked.page === 'first' ? 0 : asked.page === 'last' ? LAST : 19 * PAGE
    const further = items === 0 ? {} : await findCursor(base, asked, items)
    const [cold, warm] = [await ask(base, asked, further), await ask(base, asked, further)]
    const question = writeAsked(asked)
    if (cold.status === 200 || cold.status === 0) measured.push({ question, coldMs: cold.ms, warmMs: warm.ms })
    else refused.push(`${cold.status} ${question} ${JSON.stringify(cold.body)}`)
    if (cold.status === 0) await pause(1000)
  }
  return { measured, refused }
}

function report(measured: readonly Measured[]): object {
  const summarize = (of: 'coldMs' | 'warmMs') => {
    const all = measured.map((one) => one[of])
    const [p50, p95, most] = [quantile(all, 0.5), quantile(all, 0.95), Math.max(...all)]
    return { p50, p95, most, slow: all.filter((ms) => ms > SLOW_MS).length / all.length }
  }
  const summary = { cold: summarize('coldMs'), warm: summarize('warmMs') }
  for (const [how, { p50, p95, most, slow }] of Object.entries(summary)) {
    print(
      `${how}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(0)} ms, slowest ${most.toFixed(0)} ms, ` +
        `${(100 * slow).toFixed(1)} % over ${SLOW_MS} ms`,
    )
  }
  print('the slowest, cold and warm in ms')
  const sorted = measured.toSorted((a, b) => Math.max(b.coldMs, b.warmMs) - Math.max(a.coldMs, a.warmMs))
  for (const { question, coldMs, warmMs } of sorted.slice(0, SLOWEST)) {
    print(`${coldMs.toFixed(0).padStart(7)}${warmMs.toFixed(0).padStart(7)}  ${question.slice(0, 300)}`)
  }
  return summary
}

const folder = mkdtempSync(join(tmpdir(), 'assay-bench-slowest-'))
const home = flags.home === '' ? join(folder, 'home') : flags.home
const postgres = flags.postgres ? await startPostgres() : undefined
let server: ServingProcess | undefined
try {
  printMachine()
  const env = postgres === undefined ? {} : { ASSAY_STORE: createDatabase(postgres).connectionString }
  if (postgres !== undefined || !existsSync(join(home, 'assay.db'))) await fill(home, env)
  server = await serve(home, env)
  await plant(server.url)
  const facts = await findFacts(server.url)
  await server.stop()
  server = await serve(home, env)
  const questions = flags.all ? listQuestions(facts) : drawQuestions(facts, count, new SeededRandom(seed))
  const { measured, refused } = await measure(server.url, questions)
  print(`${rows} findings on ${postgres === undefined ? 'SQLite' : 'PostgreSQL'}, ${measured.length} questions`)
  const summary = report(measured)
  for (const line of refused.slice(0, 5)) print(`refused: ${line}`)
  if (refused.length > 0) print(`${refused.length} were refused`)
  saveResults(flags.json, { rows, seed, ...summary, measured, refused })
} finally {
  await server?.stop()
  postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
}

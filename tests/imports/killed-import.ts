import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { buildEngine } from '../../src/engine/load.store.ts'
import { attachEngine, findEngine } from '../../src/query/engine/executor.ts'
import { createRandom } from '../../src/sample/ids.ts'
import { openLastingCommandLine } from '../cli/command-line.ts'
import { mainFile, makeHome, serveAssay } from '../support/assay.ts'
import { expectKill } from '../support/endings.ts'
import { type Place, type Progress, placeOf, selectProgress } from './import-places.mjs'
import { Process } from './process.ts'

export interface KilledImports {
  /** How many processes were killed while they imported, and by what they were at. */
  kills: number
  killedAt: Record<string, number>
  /** Answers that were given while imports went on, by reader. */
  answers: Record<string, number>
  imports: number
  /** Answers of neither before nor after, or of before when after was seen already. */
  wrong: string[]
  /** Imports that did not end with what was in their file, exactly once. */
  incomplete: string[]
}

const START = Date.UTC(2025, 0, 1)
const PER_ASSET = 20
const severities = ['LOW', 'HIGH', 'CRITICAL', 'MEDIUM']
const at = (ms: number) => new Date(ms).toISOString()

interface Given {
  version: number
  isResolved: boolean
}

/** All that a source has been told: by the number of the finding. */
type Told = Map<number, Given>

function toLine(finding: number, { version, isResolved }: Given): string {
  const first = START + finding * 1_000
  return JSON.stringify({
    asset: { key: `a${Math.floor(finding / PER_ASSET)}`, name: `Asset ${version}`, container: `Version ${version}` },
    detectorType: 'SECRETS',
    findingType: 'TOKEN',
    severity: severities[version % severities.length],
    firstDetectedAt: at(first),
    lastDetectedAt: at(first + version),
    ...(isResolved ? { status: 'RESOLVED', resolvedAt: at(first + 60_000) } : {}),
    fingerprint: String(finding),
  })
}

const questions: readonly (readonly [tool: string, input: Record<string, unknown>])[] = [
  ['query_metric', { metricSlug: 'total-findings', dimensions: ['severity'] }],
  ['query_metric', { metricSlug: 'open-findings', dimensions: ['container'] }],
  ['query_metric', { metricSlug: 'affected-assets' }],
  ['query_metric', { metricSlug: 'mean-time-to-resolve' }],
  ['query_metric', { metricSlug: 'total-findings', dimensions: ['source', 'status'] }],
]

interface Answer {
  value?: unknown
  breakdown?: unknown
}
interface Reader {
  name: string
  ask: (tool: string, input: Record<string, unknown>) => Promise<Answer>
  close: () => Promise<unknown>
}

async function openMcpReader(home: string): Promise<Reader> {
  const client = new Client({ name: 'reader', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [mainFile, 'mcp', '--no-background'],
      env: { ASSAY_HOME: home, PATH: process.env.PATH ?? '' },
      stderr: 'ignore',
    }),
  )
  return {
    name: 'MCP',
    ask: async (name, input) => (await client.callTool({ name, arguments: input })).structuredContent as Answer,
    close: () => client.close(),
  }
}

async function openReaders(home: string, hasMcp: boolean): Promise<Reader[]> {
  const server = await serveAssay(home, ['--no-background'])
  const [sql, engine] = [new Process(home), new Process(home)]
  return [
    ...(hasMcp ? [await openMcpReader(home)] : []),
    {
      name: 'HTTP',
      ask: (_, input) => askOverHttp(server.url, input),
      close: server.stop,
    },
    { name: 'SQL', ask: (tool, input) => sql.run<Answer>(tool, input), close: async () => sql.close() },
    {
      name: 'engine',
      ask: (tool, input) => {
        engine.store.read((reader) => {
          if (findEngine(reader) === undefined) attachEngine(reader, buildEngine(reader))
        })
        return engine.run<Answer>(tool, input)
      },
      close: async () => engine.close(),
    },
  ]
}

/** A connection that breaks on a busy machine gave no answer. */
async function askOverHttp(url: string, input: Record<string, unknown>, attempts = 20): Promise<Answer> {
  const request = { method: 'POST', body: JSON.stringify(input), headers: { 'content-type': 'application/json' } }
  try {
    const reply = await fetch(`${url}/semantic/query`, request)
    return (await reply.json()) as Answer
  } catch (error) {
    if (attempts === 0) throw error
    await sleep(50)
    return askOverHttp(url, input, attempts - 1)
  }
}

const toText = ({ value, breakdown }: Answer) => JSON.stringify({ value, breakdown })

/**
 * Imports of so many findings (new ones, known ones that changed, both) whose processes are killed without warning at
 * random moments, while readers in several processes ask all the time.
 */
export async function importUnderKills(options: {
  kills: number
  findings: number
  seed: number
  /** Whether a process that answers over MCP reads as well; default true. */
  hasMcp?: boolean
  onImport?: (result: KilledImports) => void
}): Promise<KilledImports> {
  const random = createRandom(`imports ${options.seed}`)
  const result: KilledImports = { kills: 0, killedAt: {}, answers: {}, imports: 0, wrong: [], incomplete: [] }
  // A data folder grows with every import.
  while (result.kills < options.kills) await importIntoHome(options, random, result)
  return result
}

const IMPORTS_OF_HOME = 9

async function importIntoHome(
  options: { kills: number; findings: number; hasMcp?: boolean; onImport?: (result: KilledImports) => void },
  random: () => number,
  result: KilledImports,
): Promise<void> {
  const { home, remove } = makeHome()
  const told = new Map<string, Told>([['base', tell(0, options.findings, 0)]])
  await runToEnd(home, 'base', told.get('base') ?? new Map())
  const readers = await openReaders(home, options.hasMcp ?? true)
  const watcher = new Process(home)
  try {
    for (let turn = 1; turn <= IMPORTS_OF_HOME && result.kills < options.kills; turn++) {
      const { source, lines } = planImport(turn, options.findings)
      const before = await askAll(readers)
      let going = true
      const given = readers.map((reader) => keepAsking(reader, () => going, random))
      await importKilled(home, { source, lines, watcher, random, result, mostKills: options.kills - result.kills })
      await sleep(20)
      going = false
      const seen = await Promise.all(given)
      const after = await askAll(readers)
      for (const [index, reader] of readers.entries()) {
        result.answers[reader.name] = (result.answers[reader.name] ?? 0) + (seen[index]?.length ?? 0)
        result.wrong.push(...findWrong(reader.name, seen[index] ?? [], before[index] ?? [], after[index] ?? []))
      }
      const known = told.get(source) ?? new Map()
      for (const [finding, line] of lines) known.set(finding, line)
      told.set(source, known)
      result.imports += 1
      result.incomplete.push(...checkStored(watcher, told))
      options.onImport?.(result)
    }
  } finally {
    watcher.close()
    for (const reader of readers) await reader.close()
    remove()
  }
}

function tell(from: number, count: number, version: number): Told {
  const entries = Array.from({ length: count }, (_, index): [number, Given] => [
    from + index,
    { version, isResolved: (index + version) % 3 === 0 },
  ])
  return new Map(entries)
}

/** In turns: findings of a new source, all known ones changed, and half of each. */
function planImport(turn: number, findings: number): { source: string; lines: Told } {
  if (turn % 3 === 1) return { source: 'base', lines: tell(0, findings, turn) }
  if (turn % 3 === 2) return { source: `new ${turn}`, lines: tell(0, findings, turn) }
  const half = Math.floor(findings / 2)
  const known = tell(0, half, turn)
  for (const [finding, line] of tell(findings * turn, half, turn)) known.set(finding, line)
  return { source: 'base', lines: known }
}

function writeLines(home: string, lines: Told): string {
  const file = join(home, 'findings.ndjson')
  writeFileSync(file, [...lines].map(([finding, line]) => toLine(finding, line)).join('\n'))
  return file
}

async function runToEnd(home: string, source: string, lines: Told): Promise<void> {
  const { run } = openLastingCommandLine({}, { home })
  const { code, stderr } = await run(['import', writeLines(home, lines), '--source', source])
  if (code !== 0) throw new Error(stderr)
}

interface Killed {
  source: string
  lines: Told
  watcher: Process
  random: () => number
  result: KilledImports
  mostKills: number
}

/** Which place a kill is to meet, and how long after its beginning at most. */
const aims: readonly (readonly [share: number, place: Place, delayMs: number])[] = [
  [0.2, 'reading', 400],
  [0.74, 'accepted', 300],
  [0.06, 'completed', 30],
]

function drawAim(random: () => number): { place: Place; delayMs: number } {
  let rest = random()
  for (const [share, place, delayMs] of aims) {
    rest -= share
    if (rest < 0) return { place, delayMs: random() ** 2 * delayMs }
  }
  return { place: 'accepted', delayMs: 0 }
}

/** Until the import is complete: whoever drives it is killed, and another process takes over. */
async function importKilled(home: string, killed: Killed): Promise<void> {
  const { source, lines, watcher, random, result, mostKills } = killed
  const file = writeLines(home, lines)
  const completed = progressOf(watcher).completed
  const isComplete = () => progressOf(watcher).completed > completed
  for (let kills = 0; !isComplete(); ) {
    const isOpen = watcher.isImporting()
    const before = progressOf(watcher)
    const child = isOpen ? start(home, ['serve', '--port', '0']) : start(home, ['import', file, '--source', source])
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null
    const ended = once(child, 'close')
    if (kills < mostKills && random() < 0.93) {
      expectKill(child)
      const killer = killAt(home, { pid: child.pid, before, isOpen, ...drawAim(random) })
      await ended
      await killer.terminate()
      const place = placeOf(progressOf(watcher), before)
      if (child.signalCode === 'SIGKILL' && place !== undefined) {
        kills += 1
        result.kills += 1
        result.killedAt[place] = (result.killedAt[place] ?? 0) + 1
      }
    } else {
      while (!isComplete() && !hasEnded()) await sleep(20)
      child.kill('SIGTERM')
      await ended
    }
  }
}

function start(home: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [mainFile, ...args], { env: { ...process.env, ASSAY_HOME: home }, stdio: 'ignore' })
}

const progressOf = ({ store }: Process) => store.read((reader) => reader.prepare(selectProgress).get()) as Progress

interface Aim {
  pid: number | undefined
  before: Progress
  /** Whether the process goes on with what another one has begun. */
  isOpen: boolean
  place: Place
  delayMs: number
}

/** Kills a process when it has come to a place, or past it, and a while longer. */
function killAt(home: string, aim: Aim): Worker {
  return new Worker(new URL('./killer.worker.mjs', import.meta.url), {
    workerData: { file: join(home, 'assay.db'), ...aim },
    execArgv: [],
  })
}

const askAll = (readers: readonly Reader[]) =>
  Promise.all(
    readers.map(async (reader) => {
      const answers: string[] = []
      for (const [tool, input] of questions) answers.push(toText(await reader.ask(tool, input)))
      return answers
    }),
  )

interface Seen {
  question: number
  answer: string
}

async function keepAsking(reader: Reader, isGoing: () => boolean, random: () => number): Promise<Seen[]> {
  const seen: Seen[] = []
  while (isGoing()) {
    const question = Math.floor(random() * questions.length)
    const [tool, input] = questions[question] ?? ['', {}]
    seen.push({ question, answer: toText(await reader.ask(tool, input)) })
    await sleep(30)
  }
  return seen
}

function findWrong(
  reader: string,
  seen: readonly Seen[],
  before: readonly string[],
  after: readonly string[],
): string[] {
  let isAfter = false
  return seen.flatMap(({ question, answer }) => {
    if (answer === after[question] && answer !== before[question]) isAfter = true
    const isRight = isAfter ? answer === after[question] : answer === before[question]
    return isRight ? [] : [`${reader} ${JSON.stringify(questions[question])}: ${answer}`]
  })
}

/** Compares what is stored with what was told. */
function checkStored(watcher: Process, told: ReadonlyMap<string, Told>): string[] {
  const stored = watcher.store.read((reader) =>
    reader
      .prepare(
        `SELECT s.name AS source, a.name AS asset, c.severity, c.status, count(*) AS n, count(DISTINCT f.fp) AS prints,
           sum(f.first_detected_at) AS times, sum(f.resolved_at) AS ends
         FROM finding f JOIN combo c ON c.id = f.combo_id JOIN asset a ON a.id = f.asset_id
           JOIN source s ON s.id = a.source_id GROUP BY 1, 2, 3, 4`,
      )
      .all(),
  ) as Record<string, string | number | null>[]
  const ranks = ['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL']
  const expected = new Map<string, { n: number; times: number; ends: number | null }>()
  for (const [source, findings] of told) {
    const versions = new Map<number, number>()
    for (const [finding, { version }] of findings) versions.set(Math.floor(finding / PER_ASSET), version)
    for (const [finding, { version, isResolved }] of findings) {
      const severity = ranks.indexOf(severities[version % severities.length] ?? '') + 1
      const asset = `Asset ${versions.get(Math.floor(finding / PER_ASSET))}`
      const key = JSON.stringify([source, asset, severity, isResolved ? 1 : 0])
      const first = START + finding * 1_000
      const group = expected.get(key) ?? { n: 0, times: 0, ends: isResolved ? 0 : null }
      group.n += 1
      group.times += first
      if (group.ends !== null) group.ends += first + 60_000
      expected.set(key, group)
    }
  }
  const found = new Map(
    stored.map(({ source, asset, severity, status, n, prints, times, ends }) => [
      JSON.stringify([source, asset, severity, status]),
      { n, times, ends, prints },
    ]),
  )
  const differences = [...new Set([...expected.keys(), ...found.keys()])].flatMap((key) => {
    const [wanted, present] = [expected.get(key), found.get(key)]
    const isSame =
      wanted?.n === present?.n &&
      wanted?.n === present?.prints &&
      wanted?.times === present?.times &&
      wanted?.ends === present?.ends
    return isSame ? [] : [`${key}: ${JSON.stringify(present)} is not ${JSON.stringify(wanted)}`]
  })
  const { miscounted } = watcher.leftovers()
  return miscounted === 0 ? differences : [...differences, `${miscounted} combinations are miscounted`]
}

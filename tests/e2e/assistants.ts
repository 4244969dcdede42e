import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { evaluateMetric } from '../../src/query/answer/evaluate.ts'
import type { MetricAnswer, MetricQuestion } from '../../src/query/model.ts'
import { type Reader, Store } from '../../src/store/store.ts'
import { fillStore, NOW, START } from '../bench/query/estate.ts'
import { StdioClient } from '../bench/rivals/peer.ts'
import { changeSomething } from '../engine/changing.ts'
import { SeededRandom } from '../properties/query-data.ts'
import { mainFile, type ServingProcess, serveAssay } from '../support/assay.ts'
import { readMemory } from '../support/bench.ts'

export const bySeverity: MetricQuestion = { metricSlug: 'total-findings', dimensions: ['severity'] } as MetricQuestion

/** An `assay mcp` process, and what it has written to its log. */
export class AssistantProcess {
  readonly #startedAt = performance.now()
  readonly #child: ChildProcess
  readonly #client: StdioClient
  readonly #ended: Promise<'ended'>
  #log = ''

  private constructor(home: string, args: readonly string[]) {
    this.#child = spawn(process.execPath, [mainFile, 'mcp', '--log-level', 'info', ...args], {
      env: { ...process.env, ASSAY_HOME: home },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#client = new StdioClient(this.#child)
    this.#ended = new Promise((resolve) => this.#child.once('close', () => resolve('ended')))
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log += text
    })
    this.#child.stdin?.on('error', () => {})
  }

  static async start(home: string, args: readonly string[] = []): Promise<AssistantProcess> {
    const started = new AssistantProcess(home, args)
    await started.#client.greet()
    return started
  }

  /** What went wrong: warnings and errors of its log. */
  get troubles(): string[] {
    return this.#log.split('\n').filter((line) => /"level":"(?:warn|error)"/.test(line))
  }

  /** Whether it has an index of its own, and that one is ready. */
  get hasReadyEngine(): boolean {
    return this.#log.includes('the engine is ready')
  }

  /** The milliseconds since it was started. */
  get age(): number {
    return performance.now() - this.#startedAt
  }

  get residentMegabytes(): number {
    return (readMemory(this.#child.pid ?? 0)?.now ?? 0) / 1e6
  }

  /** The result of a tool; undefined when the process was killed before it answered. */
  async callTool(name: string, input: object): Promise<object | undefined> {
    const asked = this.#client.ask('tools/call', { name, arguments: input })
    const message = await Promise.race([asked, this.#ended])
    return message === 'ended' ? undefined : (message.result as object)
  }

  async ask(question: MetricQuestion): Promise<MetricAnswer | undefined> {
    const result = await this.callTool('query_metric', question)
    if (result === undefined) return undefined
    const { isError, structuredContent } = result as { isError?: boolean; structuredContent: MetricAnswer }
    if (isError === true) throw new Error(`an error instead of an answer: ${JSON.stringify(result)}`)
    return structuredContent
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    this.#child.kill(signal)
    await this.#ended
  }
}

export async function untilTrue(isTrue: () => boolean, limitMs = 60_000): Promise<void> {
  const until = performance.now() + limitMs
  while (!isTrue()) {
    if (performance.now() > until) throw new Error('it did not become true in time')
    await sleep(5)
  }
}

/** A folder with many findings. */
export function fillFolder(home: string, findings: number): void {
  const store = Store.open(join(home, 'assay.db'), { now: Date.now })
  fillStore(store, findings, home)
  store.close()
}

/** How many questions of other processes a server has answered. */
export async function countPassed({ url }: Pick<ServingProcess, 'url'>): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const counted = /^http_request_seconds_count\{route="\/questions",status="200"\} (\d+)/m.exec(metrics)
  return Number(counted?.[1] ?? 0)
}

const slugs = ['total-findings', 'open-findings', 'affected-assets', 'false-positive-rate']
const dimensions = ['severity', 'detectorType', 'status', 'container', 'source', 'findingType'] as const

export function makeQuestion(random: SeededRandom): MetricQuestion {
  const instants = [START, START]
    .map((start) => start + random.below(NOW - start))
    .sort((a, b) => a - b)
    .map((at) => new Date(at).toISOString())
  return {
    metricSlug: random.pick(slugs),
    limit: 20,
    ...(random.chance(0.7) ? { dimensions: random.some(dimensions, 2) } : {}),
    ...(random.chance(0.5) ? { from: instants[0], to: instants[1] } : {}),
    ...(random.chance(0.5)
      ? { filters: { severities: random.some(['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const, 3) } }
      : {}),
  } as MetricQuestion
}

export const withoutCosmetics = ({ value, breakdown, other, totalGroups }: MetricAnswer) =>
  JSON.parse(JSON.stringify({ value, breakdown, other, totalGroups })) as object

export const evaluateInSql = (reader: Reader, question: MetricQuestion): object =>
  withoutCosmetics(evaluateMetric(reader, question, { now: Date.now() }) as MetricAnswer)

export interface RandomCourse {
  home: string
  questions: number
  processes: number
  /** The share of rounds in which a process is killed: the server, or an assistant. */
  killed: number
  seed: number
}

export interface CourseResult {
  answered: number
  kills: number
  /** How many of these killed the server. */
  ofServer: number
  /** Answers of servers to assistants, until they were killed. */
  passed: number
  differences: MetricQuestion[]
}

/**
 * Asks several assistants random questions while another process writes, and kills and starts some of them and the server
 * that they ask. An answer to a question that was asked before a commit must be that of SQL before or after it, any later
 * one that of SQL after it.
 */
export async function askDuringWrites(course: RandomCourse): Promise<CourseResult> {
  const random = new SeededRandom(course.seed)
  const store = Store.open(join(course.home, 'assay.db'), { now: Date.now })
  const result: CourseResult = { answered: 0, kills: 0, ofServer: 0, passed: 0, differences: [] }
  const start = () => AssistantProcess.start(course.home)
  let server: ServingProcess | undefined = await serveAssay(course.home)
  const processes = await Promise.all(Array.from({ length: course.processes }, start))
  const askSome = () =>
    processes.flatMap((process) => {
      const question = makeQuestion(random)
      return random.chance(0.7) ? [{ question, answer: process.ask(question) }] : []
    })
  while (result.answered < course.questions) {
    const before = store.openSnapshot()
    const early = askSome()
    if (random.chance(0.5)) await sleep(random.below(4))
    changeSomething(store, random, { startsOver: 0.01 })
    const after = store.openSnapshot()
    const passed = server === undefined ? 0 : await countPassed(server)
    const late = askSome()
    if (random.chance(course.killed)) {
      result.kills += 1
      await sleep(random.below(3))
      const signal = random.chance(0.8) ? 'SIGKILL' : 'SIGTERM'
      if (server !== undefined && random.chance(0.5)) {
        result.ofServer += 1
        result.passed += passed
        server.child.kill(signal)
        await server.closed
        server = undefined
      } else {
        const [victim] = processes.splice(random.below(processes.length), 1)
        await victim?.kill(signal)
      }
    }
    const compare = async ({ question, answer }: (typeof early)[number], snapshots: (typeof before)[]) => {
      const given = await answer
      if (given === undefined) return
      result.answered += 1
      const shown = withoutCosmetics(given)
      if (!snapshots.some(({ reader }) => isDeepStrictEqual(shown, evaluateInSql(reader, question)))) {
        result.differences.push(question)
      }
    }
    for (const asked of early) await compare(asked, [after, before])
    for (const asked of late) await compare(asked, [after])
    before.close()
    after.close()
    if (server === undefined && random.chance(0.1)) server = await serveAssay(course.home)
    while (processes.length < course.processes) processes.push(await start())
  }
  await Promise.all([server?.stop(), ...processes.map((process) => process.kill('SIGTERM'))])
  store.close()
  return result
}

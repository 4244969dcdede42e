import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { evaluateMetric } from '../../src/query/answer/evaluate.ts'
import type { MetricAnswer, MetricQuestion } from '../../src/query/model.ts'
import { type Reader, Store } from '../../src/store/store.ts'
import { fillStore, NOW, START } from '../bench/query/estate.ts'
import { residentMegabytes, StdioClient } from '../bench/rivals/peer.ts'
import { changeSomething } from '../engine/changing.ts'
import { SeededRandom } from '../properties/query-data.ts'
import { mainFile } from '../support/assay.ts'

export const bySeverity: MetricQuestion = { metricSlug: 'total-findings', dimensions: ['severity'] } as MetricQuestion

/** An `assay mcp` process, and what it has written to its log. */
export class AssistantProcess {
  readonly #startedAt = performance.now()
  readonly #child: ChildProcess
  readonly #client: StdioClient
  readonly #ended: Promise<'ended'>
  #log = ''

  private constructor(home: string) {
    this.#child = spawn(process.execPath, [mainFile, 'mcp', '--log-level', 'info'], {
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

  static async start(home: string): Promise<AssistantProcess> {
    const started = new AssistantProcess(home)
    await started.#client.greet()
    return started
  }

  /** What went wrong: warnings and errors of its log. */
  get troubles(): string[] {
    return this.#log.split('\n').filter((line) => /"level":"(?:warn|error)"/.test(line))
  }

  get hasEngine(): boolean {
    return this.#log.includes('this process has the engine')
  }

  get hasReadyEngine(): boolean {
    return this.#log.includes('the engine is ready')
  }

  /** Whether its thread is started and waits for the engine. */
  get isNext(): boolean {
    return !this.hasEngine && this.#log.includes('ready to take the engine over')
  }

  /** The milliseconds since it was started. */
  get age(): number {
    return performance.now() - this.#startedAt
  }

  get residentMegabytes(): number {
    return residentMegabytes(this.#child.pid ?? 0) ?? 0
  }

  /** Undefined when the process was killed before it answered. */
  async ask(question: MetricQuestion): Promise<MetricAnswer | undefined> {
    const asked = this.#client.ask('tools/call', { name: 'query_metric', arguments: question })
    const message = await Promise.race([asked, this.#ended])
    if (message === 'ended') return undefined
    const { isError, structuredContent } = message.result as { isError?: boolean; structuredContent: MetricAnswer }
    if (isError === true) throw new Error(`an error instead of an answer: ${JSON.stringify(message)}`)
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

export const findHolder = (processes: readonly AssistantProcess[]): AssistantProcess => {
  const holders = processes.filter(({ hasEngine }) => hasEngine)
  const [holder] = holders
  if (holder === undefined || holders.length > 1) throw new Error(`${holders.length} processes have the engine`)
  return holder
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
  /** The share of rounds in which a process is killed, half of them the one that has the engine. */
  killed: number
  seed: number
}

export interface CourseResult {
  answered: number
  kills: number
  /** How many of these had the engine. */
  heldEngine: number
  differences: MetricQuestion[]
}

/**
 * Asks several processes random questions while another one writes, and kills and starts some. An answer to a question
 * that was asked before a commit must be that of SQL before or after it, any later one that of SQL after it.
 */
export async function askDuringWrites(course: RandomCourse): Promise<CourseResult> {
  const random = new SeededRandom(course.seed)
  const store = Store.open(join(course.home, 'assay.db'), { now: Date.now })
  const result: CourseResult = { answered: 0, kills: 0, heldEngine: 0, differences: [] }
  const start = () => AssistantProcess.start(course.home)
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
    const late = askSome()
    if (random.chance(course.killed)) {
      const holder = processes.findIndex(({ hasEngine }) => hasEngine)
      const index = random.chance(0.5) && holder >= 0 ? holder : random.below(processes.length)
      const [victim] = processes.splice(index, 1)
      result.kills += 1
      if (victim?.hasEngine === true) result.heldEngine += 1
      await sleep(random.below(3))
      await victim?.kill(random.chance(0.8) ? 'SIGKILL' : 'SIGTERM')
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
    while (processes.length < course.processes) processes.push(await start())
  }
  await Promise.all(processes.map((process) => process.kill('SIGTERM')))
  store.close()
  return result
}

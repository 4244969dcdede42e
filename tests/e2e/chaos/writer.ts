import type { Database } from './database.ts'
import {
  type Change,
  countFindings,
  deciding,
  describing,
  importing,
  listDifferences,
  PER_FILE,
  type SourceState,
  statuses,
  toAnswers,
  toFirstState,
  toLines,
  typeOf,
} from './model.ts'
import type { Dice, Servers } from './servers.ts'

/** A request without an answer after this time hangs; an import may wait for several leases of servers that are killed or paused. */
const MAX_ANSWER_MS = 280_000

type Reply = { status: number; body: Record<string, unknown> }
/** A request without a reply: certainly not received, or perhaps. */
type Outcome = Reply | { error: string; isUnsent: boolean }

/** What a request changes, and what came of it. */
interface Attempt {
  what: string
  change: Change
  outcome: Outcome
}

export interface Tally {
  acknowledged: number
  unknown: number
  unsent: number
  /** How many of the unknown ones have happened. */
  happened: number
  checkedAnswers: number
  /** Replies other than success, by status and reason. */
  refusals: Record<string, number>
  answerMs: number[]
}

export const createTally = (): Tally => ({
  ...{ acknowledged: 0, unknown: 0, unsent: 0, happened: 0, checkedAnswers: 0 },
  ...{ refusals: {}, answerMs: [] },
})

interface WriterOptions {
  number: number
  files: number
  servers: Servers
  database: Database
  dice: Dice
  tally: Tally
  faults: string[]
}

/** One client that changes one source by requests to any server, and knows what must have become of it. */
export class ChaosWriter {
  readonly source: string
  readonly #options: WriterOptions
  state: SourceState
  #version = 0
  /** Its last steps, for the report of a fault. */
  readonly #steps: string[] = []
  #ids: number[][] = []

  constructor(options: WriterOptions) {
    this.#options = options
    this.source = `source-${options.number}`
    this.state = toFirstState(options.files, 0)
  }

  get #files(): number[] {
    return this.state.files.map((_, file) => file)
  }

  /** The first import, before anything is harmed. */
  async begin(): Promise<void> {
    const { database } = this.#options
    const term = { slug: this.source, displayName: this.source, filterMapping: { sources: [this.source] } }
    const replies = [await this.#sendImport(this.#files, 0), await this.#send('POST', '/semantic/glossary', term)]
    for (const reply of replies) {
      if ('error' in reply || reply.status >= 300) throw new Error(JSON.stringify(reply))
    }
    this.#ids = this.#files.map(() => [])
    for (const { id, type, asset, number } of await database.listFindings(this.source)) {
      const page = Number(asset.split('page-')[1])
      const ids = this.#ids[Number(type.slice('FILE_'.length))] ?? []
      ids[page * 7 + number - 1] = id
    }
    await this.#compare([this.state], 'the first import')
  }

  /** One change, or two at the same time, and what must be true afterwards. */
  async step(): Promise<void> {
    const { dice, database, tally } = this.#options
    const kind = dice.next()
    const first = kind < 0.5 ? this.#import() : kind < 0.85 ? this.#decide() : this.#describe()
    const attempts = await Promise.all(dice.next() < 0.2 ? [first, this.#decide()] : [first])
    for (const { what, outcome } of attempts) this.#note(what, outcome)
    const isUnknown = attempts.some(({ outcome }) => toWord(outcome) === 'unknown')
    const candidates = listOutcomes(this.state, attempts)
    const what = attempts.map((each) => `${each.what} (${describe(each.outcome)})`).join(' and ')
    this.#steps.push(`${new Date().toISOString()} ${what}`)
    if (isUnknown) await database.settle(this.source)
    if (candidates.length > 1 || dice.next() < 0.1) await this.#compare(candidates, what)
    else this.state = candidates[0] as SourceState
    if (isUnknown && candidates.indexOf(this.state) > 0) tally.happened++
    if (dice.next() < 0.5) await this.ask(this.#options.servers.pick(dice), what)
  }

  /** Compares what is stored with what may be stored now. */
  async #compare(candidates: readonly SourceState[], what: string): Promise<void> {
    const { database, faults } = this.#options
    const rows = await database.listFindings(this.source)
    const description = await database.findDescription(this.source)
    const differences = candidates.map((state) => [
      ...listDifferences(state, rows),
      ...(state.description === description ? [] : [`the term is ${description}, not ${state.description}`]),
    ])
    const found = differences.findIndex((each) => each.length === 0)
    this.state = candidates[Math.max(0, found)] as SourceState
    if (found >= 0) return
    const fewest = differences.sort((one, other) => one.length - other.length)[0] ?? []
    const scans = await database.listScans(this.source)
    faults.push(
      `${new Date().toISOString()} ${this.source}: after ${what} (${candidates.length} possible outcomes) ${fewest.length} differences: ${fewest.slice(0, 3).join('; ')}; its last imports: ${JSON.stringify(scans)}; its last steps: ${this.#steps.slice(-6).join('; ')}`,
    )
  }

  compareNow(): Promise<void> {
    return this.#compare([this.state], 'everything')
  }

  /** Asks a server about the source; its answers are exactly those of the model. */
  async ask(url: string, what: string): Promise<void> {
    const { faults, tally } = this.#options
    const expected = toAnswers(this.state.files)
    const filters = { sources: [this.source] }
    const count = { metricSlug: 'total-findings', filters, limit: 50 }
    const questions = [
      ...(['category', 'status'] as const).map((dimension) => ({
        question: { ...count, dimensions: [dimension] },
        answer: { value: countFindings(this.state), groups: expected[dimension] },
      })),
      // A range is answered by the engine, where there is one.
      {
        question: { ...count, dimensions: ['severity'], from: '2026-09-01' },
        answer: { value: countFindings(this.state), groups: expected.severity },
      },
      {
        question: { metricSlug: 'affected-assets', filters },
        answer: { value: expected.affectedAssets, groups: {} },
      },
    ]
    for (const { question, answer } of questions) {
      const reply = await this.#send('POST', '/semantic/query', question, url)
      if ('error' in reply || reply.status === 503) continue
      const found = toNumbers(reply.body)
      tally.checkedAnswers++
      if (reply.status === 200 && isSame(found, answer)) continue
      faults.push(
        `${this.source}: after ${what} ${url} answers ${JSON.stringify(question)} with ${reply.status} ${JSON.stringify(found)}, not ${JSON.stringify(answer)}`,
      )
    }
  }

  async #import(): Promise<Attempt> {
    const { dice } = this.#options
    const isAll = dice.next() < (this.state.files.length > 20 ? 0.2 : 0.05)
    const files = isAll ? this.#files : [dice.below(this.state.files.length)]
    const version = ++this.#version
    const outcome = await this.#sendImport(files, version)
    const what = `import ${version} of ${isAll ? 'all files' : `file ${files[0]}`}`
    if ('status' in outcome && outcome.status === 200) {
      const { lines, findings } = outcome.body as { lines: number; findings: { new: number; again: number } }
      const expected = files.length * PER_FILE
      if (lines !== expected || findings.new !== 0 || findings.again !== expected) {
        this.#options.faults.push(`${this.source}: ${what} is acknowledged with ${JSON.stringify(outcome.body)}`)
      }
    }
    return { what, change: importing(files, version), outcome }
  }

  async #decide(): Promise<Attempt> {
    const { dice } = this.#options
    const file = dice.below(this.state.files.length)
    const index = dice.next() < 0.6 ? dice.below(PER_FILE) : undefined
    const status = dice.pick(statuses)
    const decision = { status, reason: 'chaos' }
    const outcome =
      index === undefined
        ? await this.#send('POST', '/findings/triage', {
            ...decision,
            filters: { sources: [this.source], findingTypes: [typeOf(file)] },
          })
        : await this.#send('PATCH', `/findings/${this.#ids[file]?.[index]}`, decision)
    const what = `${status} for ${index === undefined ? 'all' : `finding ${index}`} of file ${file}`
    if ('status' in outcome && outcome.status === 200) {
      const { matched, status: shown } = outcome.body
      if (index === undefined ? matched !== PER_FILE : shown !== status) {
        this.#options.faults.push(`${this.source}: ${what} is acknowledged with ${JSON.stringify(outcome.body)}`)
      }
    }
    return { what, change: deciding(file, index, status), outcome }
  }

  async #describe(): Promise<Attempt> {
    const description = `changed by ${this.#options.dice.next()}`
    const outcome = await this.#send('PUT', `/semantic/glossary/${this.source}`, { description })
    return { what: 'a new description', change: describing(description), outcome }
  }

  #sendImport(files: readonly number[], version: number): Promise<Outcome> {
    return this.#send('POST', `/findings/import?source=${this.source}`, toLines(files, version))
  }

  async #send(method: string, path: string, content: object | string, url?: string): Promise<Outcome> {
    const { servers, dice, faults, tally } = this.#options
    const isText = typeof content === 'string'
    const startedAt = performance.now()
    try {
      const reply = await fetch(new URL(path, url ?? servers.pick(dice)), {
        method,
        body: isText ? content : JSON.stringify(content),
        headers: { connection: 'close', 'content-type': isText ? 'application/x-ndjson' : 'application/json' },
        signal: AbortSignal.timeout(MAX_ANSWER_MS),
      })
      return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
    } catch (error) {
      const { name, cause } = error as Error & { cause?: { code?: string } }
      if (name === 'TimeoutError') faults.push(`${this.source}: ${method} ${path} has no answer`)
      return { error: cause?.code ?? name, isUnsent: cause?.code === 'ECONNREFUSED' }
    } finally {
      tally.answerMs.push(performance.now() - startedAt)
    }
  }

  /** An error of a server may come after the change; one of the request comes before. */
  #note(what: string, outcome: Outcome): void {
    const { tally, faults } = this.#options
    tally[toWord(outcome)]++
    if ('status' in outcome && outcome.status < 300) return
    const reason = describe(outcome)
    tally.refusals[reason] = (tally.refusals[reason] ?? 0) + 1
    if ('status' in outcome && outcome.status !== 503)
      faults.push(`${this.source}: ${what} is refused: ${JSON.stringify(outcome.body)}`)
  }
}

function toWord(outcome: Outcome): 'acknowledged' | 'unknown' | 'unsent' {
  if ('error' in outcome) return outcome.isUnsent ? 'unsent' : 'unknown'
  if (outcome.status < 300) return 'acknowledged'
  return outcome.status >= 500 ? 'unknown' : 'unsent'
}

const describe = (outcome: Outcome): string =>
  'error' in outcome ? outcome.error : `${outcome.status} ${outcome.body.reason ?? ''}`.trim()

/** The states that can have come of changes at the same time, of which some may not have happened. */
function listOutcomes(state: SourceState, attempts: readonly Attempt[]): SourceState[] {
  const words = attempts.map(({ outcome }) => toWord(outcome))
  const walk = (present: SourceState, left: readonly number[]): SourceState[] => {
    const isComplete = left.every((index) => words[index] !== 'acknowledged')
    const next = left
      .filter((index) => words[index] !== 'unsent')
      .flatMap((index) =>
        walk(
          (attempts[index] as Attempt).change(present),
          left.filter((other) => other !== index),
        ),
      )
    return isComplete ? [present, ...next] : next
  }
  return walk(
    state,
    attempts.map((_, index) => index),
  )
}

export function toNumbers({ value, breakdown = [] }: Record<string, unknown>) {
  const groups = breakdown as { dimensionValue: string; value: number }[]
  return {
    value: value as number,
    groups: Object.fromEntries(groups.map((group) => [group.dimensionValue, group.value])),
  }
}

const toSorted = (groups: Readonly<Record<string, number>>) => JSON.stringify(Object.entries(groups).sort())

const isSame = (one: ReturnType<typeof toNumbers>, other: ReturnType<typeof toNumbers>) =>
  one.value === other.value && toSorted(one.groups) === toSorted(other.groups)

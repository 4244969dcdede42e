import { hash } from 'node:crypto'
import { createRandom } from '../../src/sample/ids.ts'

export const DAY = 86_400_000
const START = Date.UTC(2025, 8, 1, 6)
const isoOf = (at: number) => new Date(at).toISOString()

type Status = 'OPEN' | 'RESOLVED' | 'IGNORED' | 'FALSE_POSITIVE'
interface Change {
  to: Status
  at: number
}

/** What a finding must be after the runs so far. */
export interface Expected {
  status: Status
  firstDetectedAt: number
  history: Change[]
  isPersons: boolean
}

/** What a scanner finds in one place of the code. */
interface Present {
  line: number
  isSuppressed: boolean
}

interface Run {
  /** When it ended. */
  at: number
  /** When it is imported. */
  importedAt: number
  found: ReadonlyMap<string, Present>
}

export interface SeasonScanner {
  source: string
  /** Whether its file says when the run ended. */
  isDated: boolean
  hasSuppressions: boolean
  scope?: string
  write: (run: Run) => string
}

export const seasonScanners: readonly SeasonScanner[] = [
  {
    ...{ source: 'code', isDated: true, hasSuppressions: true },
    write: ({ at, found }) =>
      JSON.stringify({
        version: '2.1.0',
        runs: [
          {
            tool: { driver: { name: 'Alpha' } },
            automationDetails: { id: 'nightly' },
            invocations: [{ executionSuccessful: true, endTimeUtc: isoOf(at) }],
            results: [...found].map(([name, { line, isSuppressed }]) => ({
              ...{ ruleId: 'R1', message: { text: `Problem ${name}` }, partialFingerprints: { own: name } },
              locations: [{ physicalLocation: { artifactLocation: { uri: name }, region: { startLine: line } } }],
              ...(isSuppressed ? { suppressions: [{ kind: 'inSource' }] } : {}),
            })),
          },
        ],
      }),
  },
  {
    ...{ source: 'secrets', isDated: false, hasSuppressions: false },
    write: ({ found }) =>
      JSON.stringify(
        [...found].map(([name, { line }]) => ({
          ...{ RuleID: 'key', Secret: hash('sha1', name), Match: name, File: name, StartLine: line, Commit: '' },
        })),
      ),
  },
  {
    ...{ source: 'shared', isDated: false, hasSuppressions: false, scope: 'backend' },
    write: ({ at, found }) =>
      [...found]
        .map(([name, { line }]) =>
          JSON.stringify({
            asset: { key: name, name },
            ...{ detectorType: 'GAMMA', findingType: 'RULE', severity: line % 2 === 0 ? 'HIGH' : 'LOW' },
            ...{ firstDetectedAt: isoOf(at), lastDetectedAt: isoOf(at), fingerprint: name },
          }),
        )
        .join('\n'),
  },
]

/** A season of runs of scanners whose findings are added, moved, fixed, found again and suppressed, and its model. */
export class Season {
  readonly random: () => number
  readonly #present = new Map<string, Map<string, Present>>()
  readonly #fixed = new Map<string, string[]>()
  /** By source and name. */
  readonly expected = new Map<string, Map<string, Expected>>()
  #runs = 0

  readonly size: number

  constructor(seed: number, size = 12) {
    this.random = createRandom(seed)
    this.size = size
  }

  below(limit: number): number {
    return Math.floor(this.random() * limit)
  }

  /** The next run of a scanner. */
  next({ source, hasSuppressions }: SeasonScanner): Run {
    const present = this.#present.get(source) ?? new Map<string, Present>()
    const fixed = this.#fixed.get(source) ?? []
    const at = START + this.#runs++ * DAY
    for (const name of [...present.keys()]) {
      const chance = this.random()
      if (chance < 0.12) {
        present.delete(name)
        fixed.push(name)
      } else if (chance < 0.3) present.set(name, { line: this.below(500) + 1, isSuppressed: false })
      else if (chance < 0.4 && hasSuppressions) present.set(name, { line: 1, isSuppressed: true })
    }
    for (let added = present.size === 0 ? this.size : this.below(4); added > 0; added--)
      present.set(`${source}/${this.#runs}-${added}.ts`, { line: this.below(500) + 1, isSuppressed: false })
    const [again] = this.random() < 0.5 ? fixed.splice(this.below(fixed.length), 1) : []
    if (again !== undefined) present.set(again, { line: 7, isSuppressed: false })
    this.#present.set(source, present)
    this.#fixed.set(source, fixed)
    return { at, importedAt: at + DAY / 24, found: new Map(present) }
  }

  /** What the findings of a scanner are after a complete import of a run. */
  apply({ source, isDated }: SeasonScanner, { at, importedAt, found }: Run): void {
    const known = this.expected.get(source) ?? new Map<string, Expected>()
    const seenAt = isDated || source === 'shared' ? at : importedAt
    for (const [name, { isSuppressed }] of found) {
      const status = isSuppressed ? 'IGNORED' : 'OPEN'
      const before = known.get(name)
      if (before === undefined) {
        known.set(name, { status, firstDetectedAt: seenAt, history: [], isPersons: false })
      } else if (before.status !== status && !before.isPersons) {
        const isBack = before.status === 'RESOLVED'
        change(before, { to: status, at: status === 'IGNORED' || isBack ? seenAt : importedAt })
      }
    }
    for (const [name, before] of known) {
      if (found.has(name) || before.status === 'RESOLVED' || before.status === 'FALSE_POSITIVE') continue
      before.isPersons = false
      change(before, { to: 'RESOLVED', at: isDated ? at : importedAt })
    }
    this.expected.set(source, known)
  }

  /** A person decides on a finding. */
  decide({ source }: SeasonScanner, name: string, { to, at }: Change): void {
    const before = this.expected.get(source)?.get(name)
    if (before === undefined) throw new RangeError(`there is no ${name}`)
    before.isPersons = true
    change(before, { to, at })
  }

  /** How many findings are open at a moment. */
  countOpen(at: number): number {
    const all = [...this.expected.values()].flatMap((findings) => [...findings.values()])
    return all.filter(({ firstDetectedAt, history, status }) => {
      if (firstDetectedAt > at) return false
      const next = history.find((each) => each.at > at)
      if (next === undefined) return status === 'OPEN'
      return history.indexOf(next) === 0
        ? isOpenFirst(history, status)
        : history[history.indexOf(next) - 1]?.to === 'OPEN'
    }).length
  }
}

/** Findings are inserted OPEN unless their first change is to OPEN. */
const isOpenFirst = (history: readonly Change[], status: Status) => (history[0]?.to ?? status) !== 'OPEN'

function change(finding: Expected, { to, at }: Change): void {
  const last = finding.history.at(-1)
  finding.history.push({ to, at: Math.max(at, last?.at ?? at) })
  finding.status = to
}

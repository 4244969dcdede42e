import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { parseSync, Visitor } from 'oxc-parser'
import { check } from 'recheck'
import { commandPatterns } from '../../src/detectors/secrets/commands.ts'
import { anyVendor } from '../../src/detectors/secrets/keyed.ts'
import { keyedShapes } from '../../src/detectors/secrets/vendor-keys.ts'
import { tokenShapes } from '../../src/detectors/secrets/vendor-tokens.ts'
import { vendorToken } from '../../src/kernel/redaction.ts'

/** What attack strings are made of, again and again. */
export const attackPieces = ['a', ' ', '\n', '=', '9', '-', '.', '"', 'aA1', '| ', 'é'] as const

export interface BuiltInPattern {
  /** Where it is written, or the id of its rule. */
  name: string
  source: string
  flags: string
}

const root = new URL('../../src/', import.meta.url).pathname
/** Rooms whose code reads what others wrote. */
const rooms = ['detectors', 'documents', 'custom-detectors', 'findings', 'kernel']
/** Files that put patterns together, and how many they do. */
const composing: Readonly<Record<string, number>> = {
  'detectors/secrets/commands.ts': 1,
  'detectors/secrets/vendor-keys.ts': 1,
  'detectors/secrets/vendor-tokens.ts': 1,
  'detectors/secrets/keyed.ts': 1,
  'documents/text/csv.ts': 1,
  'kernel/redaction.ts': 1,
}

const files = rooms.flatMap((room) =>
  readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${room}/${file}`),
)

/**
 * Every regular expression that meets text of others: literals by reading the sources, composed ones from their tables.
 */
export function listPatterns(): BuiltInPattern[] {
  const composed: [string, RegExp][] = [
    ...tokenShapes.map(({ type, literal, pattern }): [string, RegExp] => [`${type} ${literal}`, pattern]),
    ...keyedShapes.map(({ type, vendor, pattern }): [string, RegExp] => [`${type} ${vendor}`, pattern]),
    ...commandPatterns.map((pattern): [string, RegExp] => ['a command', pattern]),
    ['any vendor', anyVendor],
    ['a token in a line of the log', vendorToken],
    ['a field of CSV', /[^;\r\n]*/y],
  ]
  const all = [
    ...files.flatMap((file) => literalsOf(file)),
    ...composed.map(([name, { source, flags }]) => ({ name, source, flags })),
  ]
  return [...new Map(all.map((pattern) => [`${pattern.source}/${pattern.flags}`, pattern])).values()]
}

/** Files that make patterns out of strings and are not known to. */
export function listUnknownComposers(): string[] {
  return files.filter((file) => {
    const made = readFileSync(join(root, file), 'utf8').match(/\bRegExp\(/g)?.length ?? 0
    return made !== (composing[file] ?? 0)
  })
}

export function literalsOf(file: string, text = readFileSync(join(root, file), 'utf8')): BuiltInPattern[] {
  const found: BuiltInPattern[] = []
  new Visitor({
    Literal(node) {
      if (!('regex' in node)) return
      const { pattern, flags } = node.regex
      found.push({ name: `${file}:${text.slice(0, node.start).split('\n').length}`, source: pattern, flags })
    },
  }).visit(parseSync(file, text).program)
  return found
}

const FUZZ_MS = 60_000
const ATTACK_LENGTH = 64 * 1024
const MAX_ATTACK_MS = 500
/** What the automaton may take for a pattern before attacks are looked for by trying. */
const AUTOMATON_MS = 700

/**
 * As a checker reads it: bounds shortened, since its automaton grows with them and how a pattern is ambiguous does not,
 * and `u` for `v`, which it does not know.
 */
function toChecked({ source, flags }: Pick<BuiltInPattern, 'source' | 'flags'>): { source: string; flags: string } {
  const short = source.replace(/\{(\d+)(?:(,)(\d*))?\}/g, (_, least: string, comma?: string, most?: string) => {
    const upper = most === undefined || most === '' ? '' : Math.min(Number(most), 4)
    return `{${Math.min(Number(least), 3)}${comma ?? ''}${upper}}`
  })
  return { source: flags.includes('y') ? `^(?:${short})` : short, flags: flags.replace(/[gy]/g, '').replace('v', 'u') }
}

/** Patterns that a checker reads alike, gathered: one of them is enough to look at. */
export function gatherAlike(patterns: readonly BuiltInPattern[]): BuiltInPattern[] {
  return [...new Map(patterns.map((pattern) => [JSON.stringify(toChecked(pattern)), pattern])).values()]
}

const { version: checkerVersion } = createRequire(import.meta.url)('recheck/package.json') as { version: string }

/** What the verdict about a pattern follows from. */
function digestOf(pattern: BuiltInPattern): string {
  const { source, flags } = toChecked(pattern)
  return hash('sha256', JSON.stringify([checkerVersion, source, flags]), 'base64url').slice(0, 16)
}

/** The list of patterns by what their verdicts follow from, as it is kept in a file once all are found linear. */
export const toLinearList = (patterns: readonly BuiltInPattern[]): string =>
  `${[...new Set(patterns.map(digestOf))].sort().join('\n')}\n`

/** Those that no earlier check has found linear: new ones, and all when the checker is another one. */
export function listUnchecked(patterns: readonly BuiltInPattern[]): BuiltInPattern[] {
  const linear = new Set(readFileSync(new URL('./linear-patterns.txt', import.meta.url), 'utf8').split('\n'))
  return patterns.filter((pattern) => !linear.has(digestOf(pattern)))
}

/**
 * Undefined where a pattern takes linear time, else what speaks against it. Where the automaton comes to no end,
 * attacks are looked for by trying; they count when they keep the engine busy.
 */
export async function findFault(
  pattern: Pick<BuiltInPattern, 'source' | 'flags'>,
  automatonMs = AUTOMATON_MS,
): Promise<string | undefined> {
  const { source, flags } = toChecked(pattern)
  const exact = await check(source, flags, { checker: 'automaton', timeout: automatonMs })
  if (exact.status === 'safe') return undefined
  if (exact.status === 'vulnerable') return exact.complexity.summary
  const tried = await check(source, flags, { checker: 'fuzz', timeout: FUZZ_MS, randomSeed: 1 })
  if (tried.status === 'safe') return undefined
  if (tried.status === 'unknown') return tried.error.kind
  return isKeptBusy(pattern, tried.attack) ? tried.complexity.summary : undefined
}

/** Everything that speaks against some patterns, with two of them looked at at once. */
export async function findFaults(patterns: readonly BuiltInPattern[], automatonMs?: number): Promise<string[]> {
  const waiting = gatherAlike(patterns)
  const faults: string[] = []
  const work = async () => {
    for (let pattern = waiting.pop(); pattern !== undefined; pattern = waiting.pop()) {
      const fault = await findFault(pattern, automatonMs)
      if (fault !== undefined) faults.push(`${pattern.name} /${pattern.source}/ ${fault}`)
    }
  }
  await Promise.all([work(), work()])
  return faults
}

interface Attack {
  pumps: readonly { prefix: string; pump: string }[]
  suffix: string
}

function isKeptBusy({ source, flags }: Pick<BuiltInPattern, 'source' | 'flags'>, { pumps, suffix }: Attack): boolean {
  const pumped = pumps.map(({ prefix, pump }) => {
    return prefix + pump.repeat(Math.ceil(ATTACK_LENGTH / Math.max(1, pump.length) / pumps.length))
  })
  const text = pumped.join('') + suffix
  try {
    runInNewContext('new RegExp(source, flags).exec(text)', { source, flags, text }, { timeout: MAX_ATTACK_MS })
    return false
  } catch {
    return true
  }
}

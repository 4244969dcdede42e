import { describe, expect, it } from 'vitest'
import { isLong } from '../support/long.ts'
import { hostilePieces, repeat } from './hostile.ts'
import { hostileWorks } from './hostile-works.ts'
import {
  attackPieces,
  findFault,
  findFaults,
  listPatterns,
  listUnchecked,
  listUnknownComposers,
  literalsOf,
} from './patterns.ts'

const patterns = listPatterns()

describe('built-in patterns', () => {
  it('all take linear time', async () => {
    expect(patterns.length).toBeGreaterThan(500)
    expect(await findFaults(listUnchecked(patterns))).toEqual([])
  }, 600_000)

  const slow = ['(a+)+$', '\\s*,\\s*$']
  const furtherSlow = ['^(\\w)(?:\\1|\\1\\1)+!$', '^(?:a|aa)+$', '.*.*=.*', '(\\w+\\d?)*!', '^(?:[a-z]+\\s?)+:$']
  it.each(isLong ? [...slow, ...furtherSlow] : slow)(
    'fail the check if %s is among them',
    async (source) => {
      const [planted] = literalsOf('planted.ts', `const bad = /${source}/g`)
      expect(await findFault(planted ?? { source: '', flags: '' })).toMatch(/polynomial|exponential/)
    },
    120_000,
  )

  it('are built from strings only in the modules that read their tables', () => {
    expect(listUnknownComposers()).toEqual([])
  })
})

/** What one core may take for a window of 32 KB: twenty times what it is to take, since others share the machine. */
const WINDOW = 32 * 1024
const MAX_MS = 500
const PATIENCE_MS = 120_000

/** Whether work takes too long each time; once may be the collection of garbage that others left. */
function isSlow(work: () => void): boolean {
  const startedAt = performance.now()
  work()
  // What is over sooner has used less, and asking the system what was used takes longer than most work.
  if (performance.now() - startedAt <= MAX_MS) return false
  return [1, 2, 3].every(() => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000 > MAX_MS
  })
}

describe('attack strings', () => {
  const attacks = attackPieces.map((piece) => repeat(piece, WINDOW))

  /** In the short form, each text meets every sixth pattern, and the next one those after them. */
  const patternsOf = (turn: number) => patterns.filter((_, index) => isLong || index % 6 === turn % 6)

  it.each(attacks.map((text, turn) => [JSON.stringify(text.slice(0, 4)), text, turn] as const))(
    'of %s do not slow down any built-in pattern',
    (_, text, turn) => {
      const slow = patternsOf(turn).filter(({ source, flags }) => {
        const pattern = new RegExp(source, `${flags.replace(/[gy]/g, '')}g`)
        return isSlow(() => void text.match(pattern))
      })
      expect(slow).toEqual([])
    },
    PATIENCE_MS,
  )
})

describe('hostile texts', () => {
  const pieces = Object.values(hostilePieces).flat()
  const works = Object.entries(hostileWorks)
  /** In the short form, each work gets every 16th piece, and the next one those after them. */
  const piecesOf = (turn: number) => pieces.filter((_, index) => isLong || index % 16 === turn % 16)

  it.each(works.map(([name, work], turn) => ({ name, work, turn })))(
    'do not slow down $name',
    ({ work, turn }) => {
      expect(pieces.length).toBeGreaterThan(100)
      expect(piecesOf(turn).filter((piece) => isSlow(() => work(repeat(piece, WINDOW))))).toEqual([])
    },
    PATIENCE_MS,
  )
})

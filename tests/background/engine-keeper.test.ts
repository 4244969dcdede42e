import { afterEach, expect, test, vi } from 'vitest'
import { keepEngine } from '../../src/background/engine-keeper.ts'
import { findEngine } from '../../src/query/engine/executor.ts'
import { createLog } from '../../src/runtime/log.ts'
import { makeEstate, NOW } from '../properties/query-data.ts'
import { type EstateSeed, openFolderStore, plant } from '../query/estate.ts'

/** The built thread starts much faster than the one from the sources. */
const builtScript = new URL('../../dist/background/engine.worker.js', import.meta.url)
const MINUTE = 60_000
const closers: (() => void)[] = []
afterEach(() => {
  vi.restoreAllMocks()
  for (const close of closers.splice(0)) close()
})

function keep(damage?: string) {
  const { store, folder, close } = openFolderStore(() => NOW)
  plant(store, makeEstate(4, 200) as EstateSeed)
  if (damage !== undefined) store.write((writer) => writer.prepare(damage).run())
  const lines: string[] = []
  const log = createLog({ level: 'info', write: (line) => lines.push(line), now: () => NOW })
  const settings = { home: folder, place: store.place, keys: {}, logLevel: 'info' as const }
  const keeper = keepEngine({
    store,
    log,
    settings,
    writeLine: (line) => lines.push(line),
    minFindings: 0,
    script: builtScript,
  })
  closers.push(() => {
    keeper.close()
    close()
  })
  const engine = () => store.read(findEngine)
  const count = (text: string) => lines.filter((line) => line.includes(text)).length
  const opened = () => count('the engine is built') + count('the engine is read from its snapshot')
  const isThere = () => vi.waitFor(() => expect(engine()).toBeDefined(), 10_000)
  return { store, keeper, engine, count, opened, isThere }
}

/** Moves the clock that never goes back. */
function moveClock(): (byMs: number) => void {
  const { now } = performance
  let later = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + later)
  return (byMs) => {
    later = byMs
  }
}

test('an engine that cannot be built is retried after a minute, with a warning each time', async () => {
  const { keeper, engine, count } = keep('ALTER TABLE word RENAME COLUMN text TO spelling')
  const failures = () => count('the engine could not be built')
  const move = moveClock()
  await vi.waitFor(() => expect(failures()).toBe(1), 10_000)
  for (let turn = 0; turn < 5; turn++) {
    keeper.rebuildIfNeeded()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect(failures()).toBe(1)
  move(2 * MINUTE)
  keeper.rebuildIfNeeded()
  await vi.waitFor(() => expect(failures()).toBe(2), 10_000)
  expect(engine()).toBeUndefined()
})

test.each([
  ['is incomplete', 'isComplete', false],
  ['is worn', 'needsCompaction', true],
] as const)('an engine whose history %s is rebuilt after a minute, not earlier', async (_, name, value) => {
  const { keeper, engine, opened, isThere } = keep()
  await isThere()
  const first = engine()
  const move = moveClock()
  move(2 * MINUTE)
  keeper.rebuildIfNeeded()
  expect(opened()).toBe(1)
  Object.defineProperty(first?.history, name, { value })
  move(MINUTE / 2)
  keeper.rebuildIfNeeded()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(engine()).toBe(first)
  move(2 * MINUTE)
  keeper.rebuildIfNeeded()
  await vi.waitFor(() => expect(engine()).not.toBe(first), 10_000)
  expect(opened()).toBe(2)
})

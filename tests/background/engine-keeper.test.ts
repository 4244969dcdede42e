import { expect, onTestFinished, test, vi } from 'vitest'
import { keepEngine } from '../../src/background/engine-keeper.ts'
import { dropSnapshot } from '../../src/engine/snapshot/snapshot.ts'
import { findEngine } from '../../src/query/engine/executor.ts'
import { createLog } from '../../src/runtime/log.ts'
import { makeEstate, NOW } from '../properties/query-data.ts'
import { type EstateSeed, openFolderStore, plant } from '../query/estate.ts'

const MINUTE = 60_000

function openFolder() {
  const { store, folder: home, close } = openFolderStore(() => NOW)
  plant(store, makeEstate(4, 200) as EstateSeed)
  onTestFinished(close)
  const run = (sql: string) => store.write((writer) => writer.prepare(sql).run())
  const keep = () => {
    const lines: string[] = []
    const log = createLog({ level: 'info', write: (line) => lines.push(line), now: () => NOW })
    const onOutdated = vi.fn()
    const keeper = keepEngine({ store, home, log, onOutdated })
    onTestFinished(() => keeper.close())
    return { keeper, onOutdated, has: (text: string) => lines.some((line) => line.includes(text)) }
  }
  return { store, home, run, keep, engine: () => store.read(findEngine) }
}

/** Moves the clock that never goes back. */
function moveClock(): (byMs: number) => void {
  const now = performance.now.bind(performance)
  let later = 0
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now() + later)
  onTestFinished(() => spy.mockRestore())
  return (byMs) => {
    later = byMs
  }
}

const aWhile = () => new Promise((resolve) => setTimeout(resolve, 600))

test('without a snapshot a replacement is asked for at once, and again after a minute', async () => {
  const { keep, engine } = openFolder()
  const { keeper, onOutdated } = keep()
  const move = moveClock()
  await keeper.load()
  expect([engine(), onOutdated.mock.calls.length]).toEqual([undefined, 1])
  await aWhile()
  expect(onOutdated).toHaveBeenCalledOnce()
  move(2 * MINUTE)
  await expect.poll(() => onOutdated.mock.calls.length).toBe(2)
})

test('what one thread has built, another reads from the snapshot', async () => {
  const { keep, engine } = openFolder()
  const [first, second] = [keep(), keep()]
  await first.keeper.build()
  expect([first.has('the engine is built'), first.has('the snapshot of the engine is written')]).toEqual([true, true])
  const built = engine()
  await second.keeper.load()
  expect([second.has('the engine is read from its snapshot'), engine() === built]).toEqual([true, false])
  await aWhile()
  expect([first.onOutdated, second.onOutdated].flatMap(({ mock }) => mock.calls)).toEqual([])
})

test.each([
  ['is far behind', ({ run }) => run('UPDATE engine_snapshot SET seq = seq - 501')],
  ['is gone', ({ store, home }) => dropSnapshot(store, home)],
] satisfies [string, (folder: ReturnType<typeof openFolder>) => void][])(
  'a snapshot that %s is not read by a thread that answers',
  async (_what, change) => {
    const folder = openFolder()
    await folder.keep().keeper.build()
    change(folder)
    const { keeper, has } = folder.keep()
    await keeper.load()
    expect([has('is read from its snapshot'), has('the engine is built')]).toEqual([false, false])
  },
)

test('a snapshot that the change log has left far behind is replaced after some minutes', async () => {
  const { keep, run } = openFolder()
  const { keeper, onOutdated } = keep()
  const move = moveClock()
  await keeper.build()
  run('UPDATE engine_snapshot SET seq = seq - 501')
  await aWhile()
  expect(onOutdated).not.toHaveBeenCalled()
  move(3 * MINUTE)
  await expect.poll(() => onOutdated.mock.calls.length).toBe(1)
})

test('an engine that cannot be built is an error', async () => {
  const { keep, run, engine } = openFolder()
  run('ALTER TABLE word RENAME COLUMN text TO spelling')
  await expect(keep().keeper.build()).rejects.toThrow('no such column')
  expect(engine()).toBeUndefined()
})

test.each([
  ['is incomplete', 'isComplete', false],
  ['is worn', 'needsCompaction', true],
] as const)('an engine whose history %s is replaced after a minute, not earlier', async (_, name, value) => {
  const { keep, engine } = openFolder()
  const { keeper, onOutdated } = keep()
  const move = moveClock()
  await keeper.build()
  Object.defineProperty(engine()?.history, name, { value })
  move(MINUTE / 2)
  await aWhile()
  expect(onOutdated).not.toHaveBeenCalled()
  move(2 * MINUTE)
  await expect.poll(() => onOutdated.mock.calls.length).toBe(1)
})

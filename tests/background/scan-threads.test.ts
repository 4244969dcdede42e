import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createScanThreads, type ScanThreadsOptions } from '../../src/background/scan-threads.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { openNewFile } from '../support/new-store.ts'

/** Runs no scan, but behaves as the id says: some end at once, others never, and some exhaust or block the thread. */
const script = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, workerData } from 'node:worker_threads'
    const emit = (name, value) => parentPort.postMessage({ kind: 'event', name, value })
    const kept = []
    const calls = new Map()
    const end = (scanUid) => parentPort.postMessage({ kind: 'reply', id: calls.get(scanUid) })
    setInterval(() => emit('alive'), 50)
    parentPort.on('message', ({ kind, id, name, input, value }) => {
      if (kind === 'stop') parentPort.postMessage({ kind: 'stopped' })
      if (name === 'scan') {
        calls.set(input, id)
        emit('log', input + ' ' + workerData.owner)
        if (input.startsWith('short')) setTimeout(() => end(input), 30)
        if (input.startsWith('blocking')) for (;;) ;
        if (input.startsWith('import')) {
          emit('importing')
          setTimeout(() => {
            for (const until = Date.now() + 1000; Date.now() < until; ) ;
            end(input)
          }, 50)
        }
        if (input.startsWith('large')) for (;;) kept.push(new Array(10_000).fill({}))
      }
      if (name === 'yield') end(value)
    })
  `)}`,
)

function openThreads(more: Partial<ScanThreadsOptions> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'assay-threads-'))
  const store = openNewFile(join(home, 'assay.db'), Date.now)
  const started: string[] = []
  const owners = new Map<string, string>()
  const givenUp: string[] = []
  const threads = createScanThreads({
    store,
    home,
    env: {},
    log: silentLog,
    logLevel: 'silent',
    writeLine: (line) => {
      const [scanUid = '', owner = ''] = line.split(' ')
      started.push(scanUid)
      owners.set(owner, scanUid)
    },
    now: Date.now,
    script,
    ending: {
      releaseScans: (owner) => [owners.get(owner) ?? ''],
      giveUpScan: (scanUid, cause) => void givenUp.push(`${scanUid} ${cause}`),
    },
    ...more,
  })
  onTestFinished(async () => {
    await threads.close()
    store.close()
    rmSync(home, { recursive: true })
  })
  return { threads, started, givenUp }
}

const until = async (isTrue: () => boolean) => {
  for (let waited = 0; !isTrue() && waited < 20_000; waited += 10) await sleep(10)
  expect(isTrue()).toBe(true)
}

it('scans that do not end let others take their places, and continue after them', async () => {
  const { threads, started } = openThreads({ sliceMs: 100 })
  for (const id of ['endless-1', 'endless-2', 'short-1', 'short-2', 'short-3']) threads.start(id)
  // Each is a thread of its own, so that their reports may come in any order.
  const startsOf = (id: string) => started.filter((each) => each === id).length
  await until(() => ['short-1', 'short-2', 'short-3'].every((id) => startsOf(id) > 0))
  await until(() => ['endless-1', 'endless-2'].every((id) => startsOf(id) > 1))
}, 60_000)

it('a scan that runs for long leaves a place for others', async () => {
  const { threads, started } = openThreads()
  for (const id of ['endless-1', 'endless-2']) threads.start(id)
  await until(() => started.length === 2)
  threads.start('short-1')
  await until(() => started.includes('short-1'))
  expect(started).toHaveLength(3)
}, 60_000)

it('a scan that exhausts the memory of its thread is given up at once, and others are not affected', async () => {
  const { threads, started, givenUp } = openThreads({ maxBytes: 100 * 1024 * 1024, checkMs: 50 })
  threads.start('large-1')
  await until(() => started.includes('large-1'))
  threads.start('short-1')
  await until(() => givenUp.length > 0)
  expect(givenUp).toEqual(['large-1 out_of_memory'])
  expect(started).toEqual(['large-1', 'short-1'])
}, 60_000)

it('a scan that blocks its thread is ended, tried again and given up', async () => {
  const { threads, started, givenUp } = openThreads({ stallMs: 200, checkMs: 50 })
  threads.start('blocking-1')
  await until(() => givenUp.length > 0)
  expect(givenUp).toEqual(['blocking-1 stalled'])
  expect(started).toEqual(Array(3).fill('blocking-1'))
  threads.start('short-1')
  await until(() => started.includes('short-1'))
}, 60_000)

it('an import that blocks its thread while it is stored is not ended', async () => {
  const { threads, started, givenUp } = openThreads({ stallMs: 200, checkMs: 50 })
  threads.start('import-1')
  await sleep(1500)
  expect([started, givenUp]).toEqual([['import-1'], []])
})

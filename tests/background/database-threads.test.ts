import { expect, it, onTestFinished, vi } from 'vitest'
import type { ThreadOptions } from '../../src/background/thread-options.ts'
import { createDatabaseThreads } from '../../src/commands/database-threads.ts'
import { createLoopThread } from '../../src/commands/loop-thread.ts'
import { createLog } from '../../src/runtime/log.ts'
import { localPerson, openStore } from '../support/context.ts'
import { takeFaults } from '../support/endings.ts'

const toScript = (text: string) =>
  new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'\n${text}`)}`)

function openOptions(script: string): ThreadOptions & { lines: string[] } {
  const { store, remove } = openStore(() => 0)
  onTestFinished(remove)
  const lines: string[] = []
  const writeLine = (line: string) => void lines.push(line)
  const log = createLog({ level: 'info', write: writeLine, now: () => 0 })
  return { store, home: '', env: {}, log, logLevel: 'info', writeLine, script: toScript(script), lines }
}

it('the thread of the background loop starts scans here, and is started again after it has failed', async () => {
  const options = openOptions(`
    parentPort.postMessage({ kind: 'event', name: 'start', value: 'scan' })
    setTimeout(() => { throw new Error('the loop broke') }, 50)
  `)
  const scans = { start: vi.fn(), cancel: vi.fn() }
  const settings = { lockdown: false, lockdownCodes: false, webhookHosts: [] }
  const loop = createLoopThread({ ...options, settings, scans, answer: () => undefined })
  await vi.waitFor(() => expect(scans.start.mock.calls).toEqual([['scan'], ['scan']]), { timeout: 25_000 })
  await loop.stop()
  expect(options.lines.join('')).toContain('the loop broke')
  expect(takeFaults()).not.toEqual([])
})

it('the thread of the background loop is told the answer to a question, or that there is none', async () => {
  const options = openOptions(`
    const ask = (id) => parentPort.postMessage({ kind: 'event', name: 'ask', value: { id, operation: 'o', input: { id } } })
    parentPort.on('message', ({ name, value, kind }) => {
      if (kind === 'stop') return parentPort.postMessage({ kind: 'stopped' })
      parentPort.postMessage({ kind: 'event', name: 'start', value: JSON.stringify([value.id, value.answer ?? null]) })
    })
    ask(1)
    ask(2)
    ask(3)
  `)
  const start = vi.fn()
  const answer = async (_: string, input: object) => {
    const { id } = input as { id: number }
    if (id === 2) return undefined
    if (id === 3) throw new Error('the query thread broke')
    return { output: 'answer' }
  }
  const settings = { lockdown: false, lockdownCodes: false, webhookHosts: [] }
  const loop = createLoopThread({ ...options, settings, scans: { start, cancel: vi.fn() }, answer })
  onTestFinished(() => loop.stop())
  const told = () => start.mock.calls.map(([text]) => JSON.parse(String(text)) as unknown)
  await vi.waitFor(() => expect(told()).toHaveLength(3), { timeout: 25_000 })
  expect(told()).toEqual([
    [1, { output: 'answer' }],
    [2, null],
    [3, null],
  ])
})

it('lookups fail with an error while their thread is lost, and the next one starts another', async () => {
  const options = openOptions(`
    parentPort.on('message', ({ kind, id, input }) => {
      if (kind === 'stop') parentPort.postMessage({ kind: 'stopped' })
      else if (input.name === 'readEstate') process.exit(7)
      else if (input.name !== 'readReadiness') parentPort.postMessage({ kind: 'reply', id, value: 42 })
    })
  `)
  const { lookups, close } = createDatabaseThreads({
    ...{ ...options, vault: { problem: () => undefined }, scans: { start: vi.fn(), cancel: vi.fn() } },
    settings: { lockdown: false, lockdownCodes: false, webhookHosts: [] },
  })
  expect(await lookups.countFindings()).toBe(42)
  await expect(lookups.readEstate()).rejects.toMatchObject({ code: 'unavailable' })
  expect(options.lines.join('')).toContain('"event":"thread_lost"')
  expect(takeFaults()).toEqual([expect.stringContaining('a thread ended with 7')])
  expect(await lookups.countFindings()).toBe(42)
  // A database that does not answer is not ready.
  const since = performance.now()
  const unready = { database: 'failed', schema: 'failed', key: 'ok', disk: 'ok', reason: 'database_unreachable' }
  expect(await Promise.all([lookups.readReadiness(), lookups.readReadiness()])).toEqual([unready, unready])
  expect(performance.now() - since).toBeGreaterThan(1_900)
  await close()
  await expect(lookups.isTokenRequired()).rejects.toMatchObject({ facts: { reason: 'closing' } })
})

it('threads for operations end when they are idle, but for one', async () => {
  const options = openOptions(`
    import { threadId } from 'node:worker_threads'
    parentPort.on('message', ({ kind, id }) => {
      if (kind === 'stop') parentPort.postMessage({ kind: 'event', name: 'log', value: 'end ' + threadId })
      if (kind === 'stop') parentPort.postMessage({ kind: 'stopped' })
      else setTimeout(() => parentPort.postMessage({ kind: 'reply', id, value: threadId }), 100)
    })
  `)
  const { run, close } = createDatabaseThreads({
    ...{ ...options, vault: { problem: () => undefined }, scans: { start: vi.fn(), cancel: vi.fn() }, idleMs: 300 },
    settings: { lockdown: false, lockdownCodes: false, webhookHosts: [] },
  })
  onTestFinished(close)
  const ask = () => run('o', {}, { caller: localPerson, progress: () => {}, signal: new AbortController().signal })
  const [first, ...others] = await Promise.all([ask(), ask(), ask()])
  expect(new Set([first, ...others]).size).toBe(3)
  for (let times = 0; times < 8; times++) expect(await ask()).toBe(first)
  await vi.waitFor(() => expect(options.lines.sort()).toEqual(others.map((id) => `end ${id}`).sort()))
  expect(await ask()).toBe(first)
})

import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createQueryThread } from '../../src/background/query-thread.ts'
import { createServedAnswers } from '../../src/background/served-answers.ts'
import { listen } from '../../src/http/listen.ts'
import type { QuestionOptions } from '../../src/http/questions.ts'
import { createHttpApp } from '../../src/http/server.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { version } from '../../src/runtime/package-files.ts'
import { announceServer, identifyFile, type QuestionAddress } from '../../src/runtime/served-address.ts'
import { makeEstate, NOW } from '../properties/query-data.ts'
import { type EstateSeed, openFolderStore, plant } from '../query/estate.ts'
import { contextOf, errorOf, localPerson } from '../support/context.ts'
import { sqliteOnly } from '../support/new-store.ts'

sqliteOnly('only processes on a file share a server')
const token = 'a'.repeat(64)
const question = {
  operation: 'query_metric',
  input: { metricSlug: 'total-findings' },
  caller: localPerson,
  coerced: [],
}
const never = new AbortController().signal

type Answer = QuestionOptions['answer']

/** A data folder, and servers on it that answer in some way. */
function openFolder() {
  const { store, folder: home, close } = openFolderStore(() => NOW)
  plant(store, makeEstate(5, 200) as EstateSeed)
  store.write((writer) => writer.prepare('DELETE FROM main.expiry').run())
  const file = join(home, 'assay.db')
  onTestFinished(close)
  const serve = async (answer: Answer, announced: Partial<QuestionAddress> = {}, at: 'port' | 'socket' = 'port') => {
    const http = createHttpApp({
      ...{ operations: [], hosts: [], version, log: silentLog, questions: { token, answer } },
      contextFor: () => contextOf({ store, now: () => NOW, caller: localPerson }),
      callerOf: () => localPerson,
    })
    const place = at === 'port' ? { host: '127.0.0.1', port: 0 } : { socket: join(home, 'a %20 socket') }
    const server = await listen(http, place)
    const database = identifyFile(file) ?? ''
    announceServer(home, { questions: { address: server.url, token, version, database, ...announced } })
    onTestFinished(() => server.close())
    return server
  }
  const open = (maxAnswerMs?: number) =>
    createServedAnswers({ home, file, log: silentLog, ...(maxAnswerMs === undefined ? {} : { maxAnswerMs }) })
  return { store, home, serve, open }
}

test.each(['port', 'socket'] as const)(
  'a server at a %s answers with output or the error of the operation',
  async (at) => {
    const { serve, open } = openFolder()
    const asked: unknown[] = []
    await serve(
      async (own) => {
        asked.push(own)
        if (asked.length === 1) return { output: { value: 1 } }
        const suggestions = [{ kind: 'metric', value: 'total-findings' }]
        throw new AppError('not_found', 'There is no such metric.', { suggestions })
      },
      {},
      at,
    )
    const served = open()
    expect(served.isThere()).toBe(true)
    expect(await served.ask(question, never)).toEqual({ output: { value: 1 } })
    expect(asked).toEqual([question])
    const error = await errorOf(served.ask(question, never))
    expect([error.code, error.facts.suggestions?.[0]?.value]).toEqual(['not_found', 'total-findings'])
  },
)

test.each<[string, Partial<QuestionAddress>]>([
  ['of another version', { version: '0.0.9' }],
  ['on another database, as after a copy of the folder', { database: '1:1' }],
])('a server %s is not asked', async (_what, announced) => {
  const { serve, open } = openFolder()
  await serve(async () => ({ output: 1 }), announced)
  expect(open().isThere()).toBe(false)
})

test.each<[string, Answer, Partial<QuestionAddress>]>([
  ['knows another token', async () => ({ output: 1 }), { token: 'b'.repeat(64) }],
  ['leaves the question to others', () => undefined, {}],
  ['is closing', async () => Promise.reject(new AppError('unavailable', 'x', { reason: 'closing' })), {}],
  ['fails', async () => Promise.reject(new Error('secret')), {}],
  ['does not answer in time', () => new Promise(() => {}), {}],
])('a server that %s is not asked again for a while', async (_what, answer, announced) => {
  const { serve, open } = openFolder()
  await serve(answer, announced)
  const served = open(500)
  expect(await served.ask(question, never)).toBeUndefined()
  expect(served.isThere()).toBe(false)
})

test('a question without the token is refused, with any method of asking', async () => {
  const { serve } = openFolder()
  const { url } = await serve(async () => ({ output: 1 }))
  for (const authorization of ['', 'Bearer ', `Bearer ${token.slice(1)}`, `bearer ${token}x`]) {
    const reply = await fetch(`${url}/questions`, { method: 'POST', headers: { authorization }, body: '{}' })
    expect(reply.status).toBe(401)
  }
})

test('a cancelled question is cancelled at the server', async () => {
  const { serve, open } = openFolder()
  let [begun, cancelled] = [false, false]
  await serve((_question, signal) => {
    begun = true
    return new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => {
        cancelled = true
        reject(new AppError('unavailable', 'cancelled'))
      }),
    )
  })
  const served = open()
  const abort = new AbortController()
  const answer = served.ask(question, abort.signal)
  await expect.poll(() => begun).toBe(true)
  abort.abort()
  expect(await answer).toBeUndefined()
  await expect.poll(() => cancelled).toBe(true)
  expect(served.isThere()).toBe(true)
})

test('when the server ends in the middle of a question, the process answers by itself', async () => {
  const { store, home, serve, open } = openFolder()
  let isEnding = false
  const server = await serve(() => (isEnding ? new Promise(() => {}) : Promise.resolve({ output: { value: 7 } })))
  const lines: string[] = []
  const thread = createQueryThread({
    ...{ store, home, env: {}, log: silentLog, logLevel: 'info', minFindings: 100, served: open() },
    writeLine: (line) => lines.push(line),
    script: new URL('../../dist/background/query.worker.js', import.meta.url),
  })
  onTestFinished(() => thread.close())
  const asked = { caller: localPerson, signal: never }
  const ask = async () =>
    ((await thread.answer('query_metric', question.input, asked)) as { output: { value: number } }).output.value
  expect(await ask()).toBe(7)
  expect(lines).toEqual([])
  isEnding = true
  const answer = ask()
  await server.close()
  expect(await answer).toBe(200)
  await expect.poll(() => lines.join(''), { timeout: 20_000 }).toContain('the engine is ready')
}, 60_000)

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createProver, findEngineSocket, type Prover } from '../../src/background/engine-socket.ts'
import { createQuestionClient } from '../../src/background/question-client.ts'
import { serveQuestions } from '../../src/background/question-server.ts'
import { createSharedAnswers } from '../../src/background/shared-answers.ts'
import { checkEngine } from '../../src/doctor/engine.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { openVault } from '../../src/store/keys/vault-file.ts'
import { makeEstate, NOW } from '../properties/query-data.ts'
import { type EstateSeed, plant } from '../query/estate.ts'
import { errorOf, localPerson } from '../support/context.ts'
import { openNewFile } from '../support/new-store.ts'

const builtScript = new URL('../../dist/background/query.worker.js', import.meta.url)

function openFolder(...below: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'assay-shared-'))
  const home = join(folder, ...below)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const store = openNewFile(join(home, 'assay.db'), () => NOW)
  plant(store, makeEstate(5, 200) as EstateSeed)
  const vault = openVault({ store, home, env: {}, now: () => NOW })
  onTestFinished(() => {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const share = () => {
    const lines: string[] = []
    const answers = createSharedAnswers({
      store,
      home,
      env: {},
      vault,
      log: silentLog,
      logLevel: 'info',
      writeLine: (line) => lines.push(line),
      minFindings: 100,
      script: builtScript,
    })
    onTestFinished(() => answers.close())
    return { answers, lines }
  }
  return { home, store, vault, share }
}

const input = { metricSlug: 'total-findings', dimensions: ['severity'] }
const asked = () => ({ caller: localPerson, signal: new AbortController().signal })
const countIn = (answer: { output: unknown } | undefined) => (answer?.output as { value: number } | undefined)?.value

test('a second process asks the first, and has the engine when that has ended', async () => {
  const { home, store, vault, share } = openFolder()
  const [first, second] = [share(), share()]
  expect([first.answers.isElsewhere(), second.answers.isElsewhere()]).toEqual([false, true])
  const askSecond = async () => countIn(await second.answers.answer('query_metric', input, asked()))
  await expect.poll(askSecond).toBe(200)
  expect(second.lines).toEqual([])
  const examined = await checkEngine({ store, vault, config: { home }, minFindings: 100 })
  expect(examined).toMatchObject({ status: 'ok', detail: `process ${process.pid} has it and answers the others` })
  const wrong = second.answers.answer('query_metric', { metricSlug: 'total-findigns' }, asked())
  const refused = await errorOf(wrong ?? Promise.resolve())
  expect([refused.code, refused.facts.suggestions?.[0]?.value]).toEqual(['not_found', 'total-findings'])
  const stop = new AbortController()
  const cancelled = second.answers.answer('query_metric', input, { ...asked(), signal: stop.signal })
  stop.abort()
  expect((await errorOf(cancelled ?? Promise.resolve())).facts.reason).toBe('cancelled')
  await first.answers.close()
  await expect.poll(() => second.answers.isElsewhere()).toBe(false)
  expect(countIn(await second.answers.answer('query_metric', input, asked()))).toBe(200)
  await expect.poll(() => second.lines.join('')).toContain('the engine is ready')
}, 60_000)

test('the process that is next takes the engine over, and another one becomes the next', async () => {
  const { share } = openFolder()
  const first = share()
  const others = [share(), share()]
  const isNext = ({ lines }: (typeof others)[number]) => lines.join('').includes('ready to take the engine over')
  await expect.poll(() => others.filter(isNext).length, { timeout: 30_000 }).toBe(1)
  const next = others.find(isNext)
  const last = others.find((each) => each !== next)
  await next?.answers.close()
  await expect.poll(() => last !== undefined && isNext(last), { timeout: 30_000 }).toBe(true)
  const added = share()
  await first.answers.close()
  expect(countIn(await last?.answers.answer('query_metric', input, asked()))).toBe(200)
  expect([last?.answers.isElsewhere(), added.answers.isElsewhere()]).toEqual([false, true])
}, 60_000)

test('SQL answers in the second process where the path is too long for a socket', async () => {
  const { home, store, vault, share } = openFolder('a'.repeat(60), 'b'.repeat(60))
  const [first, second] = [share(), share()]
  expect(countIn(await first.answers.answer('query_metric', input, asked()))).toBe(200)
  expect(countIn(await second.answers.answer('query_metric', input, asked()))).toBe(200)
  await expect.poll(() => first.lines.join('')).toContain('the engine is ready')
  expect(second.lines).toEqual([])
  const examined = await checkEngine({ store, vault, config: { home }, minFindings: 100 })
  expect(examined).toMatchObject({ status: 'warning', fix: expect.stringContaining('--home') })
}, 60_000)

const question = { operation: 'query_metric', input, caller: localPerson, coerced: undefined }

async function listen(answer: (signal: AbortSignal) => Promise<unknown>) {
  const { home, vault } = openFolder()
  const found = findEngineSocket(home)
  const prover = createProver(vault)
  if ('problem' in found || prover === undefined) throw new Error('there is no socket')
  mkdirSync(join(home, 'engine'))
  const { socket } = found
  const server = await serveQuestions({ socket, prover, log: silentLog, answer: (_question, signal) => answer(signal) })
  onTestFinished(() => server.close())
  const connect = (own: Prover, maxAnswerMs?: number) => {
    const client = createQuestionClient({ socket, prover: own, ...(maxAnswerMs === undefined ? {} : { maxAnswerMs }) })
    onTestFinished(() => client.close())
    return (signal = new AbortController().signal) => client.ask(question, signal)
  }
  return { server, prover, connect }
}

test('a question needs the key of the folder on both sides', async () => {
  const { prover, connect } = await listen(async () => 1)
  expect(await connect(prover)()).toEqual({ output: 1 })
  const foreign = createProver(openFolder().vault) as Prover
  expect(await connect(foreign)()).toEqual({ problem: 'other_key' })
  // One that only repeats what it is asked proves nothing.
  const deaf = await listen(async () => 1)
  expect(await deaf.connect({ ...prover, isProven: () => true })()).toEqual({ problem: 'other_key' })
  expect(await connect({ ...prover, isProven: () => false })()).toEqual({ problem: 'other_key' })
})

test('a question ends when its caller cancels it, when the server ends, and when its time limit passes', async () => {
  const aborted: string[] = []
  let received = 0
  const wait = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      received += 1
      signal.addEventListener('abort', () => {
        aborted.push('aborted')
        reject(new AppError('unavailable', 'The question was cancelled.'))
      })
    })
  const { server, prover, connect } = await listen(wait)
  const stop = new AbortController()
  const cancelled = connect(prover)(stop.signal)
  await expect.poll(() => received).toBe(1)
  stop.abort()
  expect(await cancelled).toEqual({ lost: true })
  await expect.poll(() => aborted).toHaveLength(1)
  expect(await connect(prover, 50)()).toEqual({ problem: 'too_slow' })
  const before = received
  const lost = connect(prover)()
  await expect.poll(() => received).toBeGreaterThan(before)
  server.close()
  expect(await lost).toEqual({ lost: true })
})

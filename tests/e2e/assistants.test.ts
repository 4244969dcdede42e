import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Store } from '../../src/store/store.ts'
import { changeSomething } from '../engine/changing.ts'
import { SeededRandom } from '../properties/query-data.ts'
import { runAssay, serveAssay } from '../support/assay.ts'
import {
  AssistantProcess,
  bySeverity,
  countPassed,
  evaluateInSql,
  fillFolder,
  makeQuestion,
  untilTrue,
  withoutCosmetics,
} from './assistants.ts'

/** Just above the number from which on there is an index. */
const FINDINGS = 52_000
/** After each of which all processes are asked. */
const CHANGES = 4

/** Calls whose answers show who has checked and masked them. */
const calls: readonly [tool: string, input: object][] = [
  ['query_metric', { metricSlug: 'total-findings', dimensions: 'severity', limit: '3' }],
  ['query_metric', { metricSlug: 'total-findigns' }],
  ['query_metric', { metricSlug: 'total-findings', dimensions: ['container', 'source'], limit: 3 }],
  ['query_metric', { metricSlug: 'total-findings', filters: { findingTypes: ['sk_live_4eC39HqLyjWDarjtT1zdp7dc'] } }],
  ['search_findings', { severities: ['HIGH'], limit: 2 }],
]

async function callAll(assistant: AssistantProcess): Promise<string[]> {
  const results: string[] = []
  for (const [tool, input] of calls) results.push(JSON.stringify(await assistant.callTool(tool, input)))
  // What the moment of the answer and the address of a server decide, and random marks.
  const cosmetics = /20\d\d-\d\d-\d\dT[\d:.]+Z|\[[0-9a-f]{8}\]|nextCursor\W+[\w.-]+|,?"assay\/view":\{[^}]*\}/g
  return results.map((text) => text.replaceAll(cosmetics, ''))
}

it('answer by themselves, or by `assay serve` while that runs on their folder', async () => {
  const home = mkdtempSync(join(tmpdir(), 'assay-one-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  fillFolder(home, FINDINGS)
  const store = Store.open(join(home, 'assay.db'), { now: Date.now })
  onTestFinished(() => store.close())
  const random = new SeededRandom(19)
  const changeAndAsk = async (processes: readonly AssistantProcess[]) => {
    for (let change = 0; change < CHANGES; change++) {
      changeSomething(store, random, { startsOver: 0 })
      const question = makeQuestion(random)
      const expected = store.read((reader) => evaluateInSql(reader, question))
      for (const process of processes)
        expect(withoutCosmetics((await process.ask(question)) as never)).toEqual(expected)
    }
  }

  const start = async (...args: string[]) => {
    const started = await AssistantProcess.start(home, args)
    onTestFinished(() => started.kill())
    return started
  }
  const alone = [await start(), await start('--lockdown')]
  for (const process of alone) expect((await process.ask(bySeverity))?.value).toBe(FINDINGS)
  await untilTrue(() => alone.every(({ hasReadyEngine }) => hasReadyEngine))
  await changeAndAsk(alone.slice(0, 1))
  const answers = await Promise.all(alone.map(callAll))

  const server = await serveAssay(home)
  onTestFinished(() => void server.child.kill('SIGKILL'))
  expect(statSync(join(home, 'served.json')).mode & 0o777).toBe(0o600)
  const [plain, guarded] = [await start(), await start('--lockdown')]
  expect(await Promise.all([plain, guarded].map(callAll))).toEqual(answers)
  const served = [plain, await start()]
  await changeAndAsk(served)
  expect(await countPassed(server)).toBeGreaterThan(2 * CHANGES)
  expect([...served, guarded].some(({ hasReadyEngine }) => hasReadyEngine)).toBe(false)

  expect((await runAssay(['token', 'create', '--scope', 'read'], { home })).code).toBe(0)
  const { token } = JSON.parse(readFileSync(join(home, 'served.json'), 'utf8')).questions
  const authorization = `Bearer ${token}`
  expect((await fetch(`${server.url}/semantic/metrics`, { headers: { authorization } })).status).toBe(401)

  const total = (await served[0]?.ask(bySeverity))?.value
  const asked = served.flatMap((process) => [process.ask(bySeverity), process.ask(makeQuestion(random))])
  server.child.kill('SIGKILL')
  for (const answer of await Promise.all(asked)) expect(answer).toBeDefined()
  expect((await served[1]?.ask(bySeverity))?.value).toBe(total)
  await changeAndAsk(served)
  await untilTrue(() => served.every(({ hasReadyEngine }) => hasReadyEngine))

  // One that listens on all addresses is asked at that of this machine.
  const next = await serveAssay(home, ['--host', '0.0.0.0'])
  onTestFinished(() => void next.child.kill('SIGKILL'))
  const url = next.url.replace('0.0.0.0', '127.0.0.1')
  await expect
    .poll(async () => (await served[0]?.ask(bySeverity)) && (await countPassed({ url })), { timeout: 20_000 })
    .toBeGreaterThan(0)
  expect([...alone, ...served].flatMap(({ troubles }) => troubles)).toEqual([])
}, 120_000)

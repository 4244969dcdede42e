import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Store } from '../../src/store/store.ts'
import { changeSomething } from '../engine/changing.ts'
import { SeededRandom } from '../properties/query-data.ts'
import {
  AssistantProcess,
  bySeverity,
  evaluateInSql,
  fillFolder,
  findHolder,
  makeQuestion,
  untilTrue,
  withoutCosmetics,
} from './one-engine.ts'

/** Just above the number from which on there is an engine. */
const FINDINGS = 52_000
/** Of the findings, after each of which all processes are asked. */
const CHANGES = 4

it('is in one process of a folder, and another process takes over when that one is killed', async () => {
  const home = mkdtempSync(join(tmpdir(), 'assay-one-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  fillFolder(home, FINDINGS)
  const processes: AssistantProcess[] = []
  for (let count = 0; count < 3; count++) {
    const process = await AssistantProcess.start(home)
    processes.push(process)
    expect((await process.ask(bySeverity))?.value).toBe(FINDINGS)
  }
  await untilTrue(() => processes.some(({ hasReadyEngine }) => hasReadyEngine))
  expect(processes.filter(({ hasEngine }) => hasEngine)).toHaveLength(1)
  expect(statSync(join(home, 'engine', 'socket')).mode & 0o777).toBe(0o600)
  const holder = findHolder(processes)
  const others = processes.filter((each) => each !== holder)
  await untilTrue(() => others.some(({ isNext }) => isNext))
  const [expected, more] = others.filter(({ isNext }) => isNext)
  expect(more).toBeUndefined()
  const asked = others.map((other) => other.ask(bySeverity))
  await holder.kill()
  for (const answer of await Promise.all(asked)) expect(answer?.value).toBe(FINDINGS)
  await untilTrue(() => others.some(({ hasReadyEngine }) => hasReadyEngine))
  const next = findHolder(others)
  expect(next).toBe(expected)
  const store = Store.open(join(home, 'assay.db'), { now: Date.now })
  onTestFinished(() => store.close())
  const random = new SeededRandom(19)
  for (let change = 0; change < CHANGES; change++) {
    changeSomething(store, random, { startsOver: 0 })
    const question = makeQuestion(random)
    const expected = store.read((reader) => evaluateInSql(reader, question))
    for (const other of others) expect(withoutCosmetics((await other.ask(question)) as never)).toEqual(expected)
  }
  expect(others.flatMap(({ troubles }) => troubles)).toEqual([])
  await next.kill('SIGTERM')
  await untilTrue(() => others.filter((other) => other !== next).every(({ hasReadyEngine }) => hasReadyEngine))
  await Promise.all(others.map((other) => other.kill('SIGTERM')))
}, 60_000)

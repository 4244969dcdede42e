import { cpSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { AssistantProcess, askDuringWrites, bySeverity, fillFolder, findHolder, untilTrue } from './one-engine.ts'

/** Just above the number from which on there is an engine. */
const FINDINGS = 52_000

let filled: string
let home: string
beforeAll(() => {
  filled = mkdtempSync(join(tmpdir(), 'assay-one-'))
  fillFolder(filled, FINDINGS)
})
afterAll(() => rmSync(filled, { recursive: true, force: true }))
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'assay-one-'))
  cpSync(filled, home, { recursive: true })
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
})

it('is in one process of a folder, and another process takes over when that one is killed', async () => {
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
  for (const other of others) expect((await other.ask(bySeverity))?.value).toBe(FINDINGS)
  expect(others.flatMap(({ troubles }) => troubles)).toEqual([])
  await next.kill('SIGTERM')
  await untilTrue(() => others.filter((other) => other !== next).every(({ hasReadyEngine }) => hasReadyEngine))
  await Promise.all(others.map((other) => other.kill('SIGTERM')))
}, 60_000)

it('answers like SQL while findings are written and processes are killed', async () => {
  const { differences, kills } = await askDuringWrites({ home, questions: 20, processes: 3, killed: 0.4, seed: 19 })
  expect(differences).toEqual([])
  expect(kills).toBeGreaterThan(0)
}, 60_000)

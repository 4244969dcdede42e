import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { AssistantProcess, askDuringWrites, bySeverity, fillFolder, findHolder, untilTrue } from '../e2e/one-engine.ts'

const FINDINGS = Number(process.env.ASSAY_LONG_FINDINGS ?? 1_000_000)
const QUESTIONS = Number(process.env.ASSAY_LONG_QUESTIONS ?? 10_000)
const KILLS = Number(process.env.ASSAY_LONG_KILLS ?? 20)
const PROCESSES = 12
const MOST_MEGABYTES = 95
/** Of the process that is next, whose thread is started. */
const MOST_NEXT_MEGABYTES = 150
const MOST_FIRST_MS = 400
const MOST_TAKEOVER_MS = 250

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-one-'))
  folders.push(folder)
  return folder
}
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const report = (line: string) => process.stderr.write(`${line}\n`)

async function start(home: string): Promise<{ process: AssistantProcess; firstMs: number }> {
  const process = await AssistantProcess.start(home)
  await process.ask(bySeverity)
  return { process, firstMs: process.age }
}

test('12 processes on a folder have one engine, which is taken over when its process is killed', async () => {
  const [home, empty] = [makeFolder(), makeFolder()]
  fillFolder(home, FINDINGS)
  const { process: first } = await start(home)
  const processes = [first]
  await untilTrue(() => first.hasReadyEngine)
  await sleep(2_000)
  const [firstMs, emptyMs, delays]: number[][] = [[], [], []]
  while (processes.length < PROCESSES) {
    const { process, firstMs: ms } = await start(home)
    processes.push(process)
    firstMs?.push(ms)
    const other = await start(empty)
    emptyMs?.push(other.firstMs)
    await other.process.kill()
  }
  findHolder(processes)
  await untilTrue(() => processes.some(({ isNext }) => isNext))
  await sleep(2_000)
  const resident = processes
    .filter(({ hasEngine, isNext }) => !hasEngine && !isNext)
    .map((each) => each.residentMegabytes)
  const next = processes.find(({ isNext }) => isNext)?.residentMegabytes ?? Number.NaN
  const [most, mean] = [Math.max(...resident), resident.reduce((sum, each) => sum + each, 0) / resident.length]
  report(`others: ${mean.toFixed(0)} MB on average, ${most.toFixed(0)} at most, ${next.toFixed(0)} next`)
  const beyond = median(firstMs ?? []) - median(emptyMs ?? [])
  report(`first answer after ${median(firstMs ?? []).toFixed(0)} ms, ${beyond.toFixed(0)} ms beyond an empty folder`)
  for (let kill = 0; kill < KILLS; kill++) {
    const holder = findHolder(processes)
    processes.splice(processes.indexOf(holder), 1)
    const underWay = processes.slice(0, 2).map((process) => process.ask(bySeverity))
    await holder.kill()
    const since = performance.now()
    const answer = await processes[kill % processes.length]?.ask(bySeverity)
    delays?.push(performance.now() - since)
    expect(answer?.value).toBe(FINDINGS)
    for (const each of await Promise.all(underWay)) expect(each?.value).toBe(FINDINGS)
    await untilTrue(() => processes.some(({ hasReadyEngine }) => hasReadyEngine))
    if (processes.length < PROCESSES / 2) processes.push((await start(home)).process)
    await untilTrue(() => processes.some(({ isNext }) => isNext))
  }
  expect(processes.flatMap(({ troubles }) => troubles)).toEqual([])
  await Promise.all(processes.map((process) => process.kill('SIGTERM')))
  const late = delays ?? []
  report(`${KILLS} kills: another answers after ${median(late).toFixed(0)} ms, ${Math.max(...late).toFixed(0)} at most`)
  expect(mean).toBeLessThan(MOST_MEGABYTES)
  expect(next).toBeLessThan(MOST_NEXT_MEGABYTES)
  expect(beyond).toBeLessThan(MOST_FIRST_MS)
  expect(median(late)).toBeLessThan(MOST_TAKEOVER_MS)
}, 3_600_000)

test(`${QUESTIONS} random questions during writes are answered like SQL while processes start and are killed`, async () => {
  const home = makeFolder()
  fillFolder(home, 60_000)
  const result = await askDuringWrites({ home, questions: QUESTIONS, processes: 4, killed: 0.05, seed: 19 })
  report(`${result.answered} answers, ${result.kills} kills, ${result.heldEngine} of them of the engine`)
  expect(result.differences).toEqual([])
  expect(result.heldEngine).toBeGreaterThan(result.kills / 10)
}, 3_600_000)

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { AssistantProcess, askDuringWrites, bySeverity, fillFolder, untilTrue } from '../e2e/assistants.ts'
import { serveAssay } from '../support/assay.ts'

const FINDINGS = Number(process.env.ASSAY_LONG_FINDINGS ?? 1_000_000)
const QUESTIONS = Number(process.env.ASSAY_LONG_QUESTIONS ?? 10_000)
const PROCESSES = 12
/** Of an assistant that asks a server. */
const MOST_MEGABYTES = 110
const MOST_FIRST_MS = 400

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

test('12 assistants on a folder have no index while a server runs on it', async () => {
  const [home, empty] = [makeFolder(), makeFolder()]
  fillFolder(home, FINDINGS)
  const { process: alone, firstMs: aloneMs } = await start(home)
  await untilTrue(() => alone.hasReadyEngine)
  report(`alone: first answer after ${aloneMs.toFixed(0)} ms, ${alone.residentMegabytes.toFixed(0)} MB`)
  await alone.kill('SIGTERM')
  const server = await serveAssay(home)
  const processes: AssistantProcess[] = []
  const [firstMs, emptyMs]: number[][] = [[], []]
  while (processes.length < PROCESSES) {
    const { process, firstMs: ms } = await start(home)
    processes.push(process)
    firstMs?.push(ms)
    const other = await start(empty)
    emptyMs?.push(other.firstMs)
    await other.process.kill()
  }
  const resident = processes.map(({ residentMegabytes }) => residentMegabytes)
  const [most, mean] = [Math.max(...resident), resident.reduce((sum, each) => sum + each, 0) / resident.length]
  report(`served: ${mean.toFixed(0)} MB on average, ${most.toFixed(0)} at most`)
  const beyond = median(firstMs ?? []) - median(emptyMs ?? [])
  report(`first answer after ${median(firstMs ?? []).toFixed(0)} ms, ${beyond.toFixed(0)} ms beyond an empty folder`)
  const underWay = processes.map((process) => process.ask(bySeverity))
  server.child.kill('SIGKILL')
  for (const answer of await Promise.all(underWay)) expect(answer?.value).toBe(FINDINGS)
  expect(processes.flatMap(({ troubles }) => troubles)).toEqual([])
  await Promise.all(processes.map((process) => process.kill('SIGTERM')))
  expect(mean).toBeLessThan(MOST_MEGABYTES)
  expect(beyond).toBeLessThan(MOST_FIRST_MS)
}, 3_600_000)

test(`${QUESTIONS} random questions during writes are answered like SQL while processes start and are killed`, async () => {
  const home = makeFolder()
  fillFolder(home, 60_000)
  const result = await askDuringWrites({ home, questions: QUESTIONS, processes: 4, killed: 0.05, seed: 19 })
  report(`${result.answered} answers, ${result.kills} kills, ${result.ofServer} of them of the server`)
  expect(result.differences).toEqual([])
  expect(result.ofServer).toBeGreaterThan(result.kills / 10)
  expect(result.passed).toBeGreaterThan(QUESTIONS / 10)
}, 3_600_000)

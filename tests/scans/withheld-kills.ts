import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createRandom } from '../../src/sample/ids.ts'
import { listKept, openSectionedBench } from './sectioned.ts'
import { decide, listWithheld, watchReplies } from './withheld.ts'
import { type PlatformCase, startPlatform } from './withheld-run.ts'

const entry = fileURLToPath(new URL('./withheld-kill-entry.ts', import.meta.url))

interface Ended {
  status: string
  warnings: number
}

/** Runs a scan in a process of its own; undefined where it was killed. */
async function drive(home: string, isDue: () => boolean): Promise<Ended | undefined> {
  const child = spawn(process.execPath, ['--import', 'tsx', entry, home], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  let isRunning = true
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve)).finally(() => {
    isRunning = false
  })
  while (isRunning && !isDue()) await sleep(2)
  if (isRunning) child.kill('SIGKILL')
  return (await ended) === 0 ? (JSON.parse(output) as Ended) : undefined
}

export interface KilledOutcome {
  kills: number
  cases: number
  problems: string[]
}

/** Withholds parts of a tenant from scans that are killed on their way; then what was planted is removed. */
export async function runWithheldUnderKills(
  platformCase: PlatformCase,
  { killsPerScan, every, seed }: { killsPerScan: number; every: number; seed: number },
): Promise<KilledOutcome> {
  const random = createRandom(`withheld ${seed}`)
  const { planted, server, config } = await startPlatform(platformCase)
  const home = mkdtempSync(join(tmpdir(), 'assay-withheld-'))
  const problems: string[] = []
  let kills = 0

  async function scanUnderKills(): Promise<Ended> {
    for (let round = 0; ; round++) {
      const due = server.requests.length + 1 + Math.floor(random() * 12)
      const ended = await drive(home, () => round < killsPerScan && server.requests.length >= due)
      if (ended !== undefined) return ended
      kills++
    }
  }

  const kept = () => {
    const bench = openSectionedBench(home)
    const found = listKept(bench)
    return bench.close().then(() => found)
  }
  const toTold = (found: Awaited<ReturnType<typeof kept>>) =>
    found.map(({ asset, fp, status, history }) => `${asset} ${fp} ${status} ${history}`)

  try {
    const bench = openSectionedBench(home)
    await bench.run('create_source', { name: 'fake', config: { ...config, detectors: [{ type: 'WORDS' }] } })
    const seen = watchReplies(server)
    await bench.scan()
    await decide(bench)
    await bench.close()
    const cases = listWithheld(seen).filter((_case, index) => index % every === seed % every)
    for (const { name, faults = [] } of cases) {
      const before = toTold(await kept())
      server.faults.splice(0, server.faults.length, ...faults)
      const ended = await scanUnderKills()
      const after = await kept()
      if (JSON.stringify(toTold(after)) !== JSON.stringify(before)) problems.push(`${name}: findings have changed`)
      const isSaid = ended.status !== 'COMPLETED' || ended.warnings > 0
      if (after.some(({ isFresh }) => !isFresh) && !isSaid) problems.push(`${name}: nothing is said`)
      server.faults.splice(0)
    }
    planted.clean()
    await scanUnderKills()
    await scanUnderKills()
    const left = (await kept()).filter(({ status }) => status === 'OPEN')
    for (const { asset, excerpt } of left.slice(0, 3)) problems.push(`not resolved when removed: ${asset}: ${excerpt}`)
    return { kills, cases: cases.length, problems }
  } finally {
    await server.close()
    rmSync(home, { recursive: true, force: true })
  }
}

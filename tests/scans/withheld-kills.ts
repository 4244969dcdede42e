import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom } from '../../src/sample/ids.ts'
import { type Ended, startScanProcess } from './scan-process.ts'
import { listKept, openSectionedBench } from './sectioned.ts'
import { decide, listWithheld, PAST_REREAD_MS, watchReplies } from './withheld.ts'
import { type PlatformCase, startPlatform } from './withheld-run.ts'

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

  let now = Date.UTC(2026, 0, 5, 12)

  async function scanUnderKills(): Promise<Ended> {
    for (let round = 0; round < killsPerScan; round++) {
      const scanner = await startScanProcess()
      now += PAST_REREAD_MS
      const due = server.requests.length + 1 + Math.floor(random() * 12)
      const ended = await scanner.scan({ home, now }, () => server.requests.length >= due)
      if (ended !== undefined) return ended
      kills++
    }
    return await scanCalmly()
  }

  /** Resumes what a killed process has left. */
  async function scanCalmly(): Promise<Ended> {
    const bench = openSectionedBench(home)
    now += PAST_REREAD_MS
    bench.clock.now = now
    const { status, warnings } = await bench.scan()
    await bench.close()
    return { status, warnings: warnings.length }
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
      const changed = toTold(after).filter((finding) => !before.includes(finding))
      if (changed.length > 0 || after.length < before.length) problems.push(`${name}: changed to ${changed}`)
      const isSaid = ended.status !== 'COMPLETED' || ended.warnings > 0
      if (after.some(({ isFresh }) => !isFresh) && !isSaid) problems.push(`${name}: nothing is said`)
      server.faults.splice(0)
    }
    planted.clean()
    await scanCalmly()
    await scanCalmly()
    const left = (await kept()).filter(({ status }) => status === 'OPEN')
    for (const { asset, excerpt } of left.slice(0, 3)) problems.push(`not resolved when removed: ${asset}: ${excerpt}`)
    return { kills, cases: cases.length, problems }
  } finally {
    await server.close()
    rmSync(home, { recursive: true, force: true })
  }
}

import { expect, it, vi } from 'vitest'
import { createRandom } from '../../src/sample/ids.ts'
import { cases, isLong, maxMs } from '../support/long.ts'
import { scanAndCompare, scanLater } from './compared.ts'
import { type Options, type PlatformCase, startPlatform } from './planted-platform.ts'
import { startScanProcess } from './scan-process.ts'
import { listKept, openSectionedBench } from './sectioned.ts'
import { listCases, type Withheld, watchReplies } from './withheld.ts'
import type { Workbench } from './workbench.ts'

/** Time passes faster, because a metadata scan whose state cannot be read is given up only after ten minutes. */
const SPEED = vi.hoisted(() => 100)
vi.mock('node:timers/promises', async (original) => {
  const { setTimeout: sleep, ...others } = await original<typeof import('node:timers/promises')>()
  return { ...others, setTimeout: (ms = 0, value?: unknown, options = {}) => sleep(ms / SPEED, value, options) }
})
const now = performance.now.bind(performance)
vi.spyOn(performance, 'now').mockImplementation(() => now() * SPEED)

const SEED = 3
const CASES = cases(3, Number.POSITIVE_INFINITY)
/** Of so many cases, one is met by a scan whose process is killed. */
const KILLED_EVERY = cases(3, 10)
/** The code of the warning that announces what a second scan in a row takes for removed. */
const announced = 'scope_gone'

/** Marks a third of the findings as ignored and a third as false. */
async function decide(bench: Workbench): Promise<void> {
  const rows = bench.store.read((reader) => reader.prepare('SELECT id FROM finding ORDER BY id').all())
  for (const [third, status] of [
    [1, 'IGNORED'],
    [2, 'FALSE_POSITIVE'],
  ] as const) {
    const ids = (rows as { id: number }[]).filter((_, index) => index % 3 === third).map(({ id }) => String(id))
    await bench.run('triage_findings', { ids, status, reason: 'as decided' })
  }
}

it.each<[string, PlatformCase]>([
  ['a wiki', { platform: 'WIKI' }],
  ['a BI tenant seen by an administrator', { platform: 'BI_PLATFORM', adminApi: true }],
  ['a BI tenant seen by members', { platform: 'BI_PLATFORM' }],
])(
  'what %s withholds from one scan, or from two in a row, resolves only findings in announced deletions',
  async (_name, platformCase) => {
    const random = createRandom(`withheld ${SEED} ${JSON.stringify(platformCase)}`)
    const { planted, server, config } = await startPlatform(platformCase)
    const bench = openSectionedBench()
    const optional = config.optional as Options
    const configure = (changed: object) => bench.run('update_source', { id: 'fake', config: { optional: changed } })
    try {
      await bench.run('create_source', { name: 'fake', config: { ...config, detectors: [{ type: 'WORDS' }] } })
      const seen = watchReplies(server)
      expect(await bench.scan()).toMatchObject({ status: 'COMPLETED' })
      await decide(bench)
      await bench.scan()
      server.faults.splice(0)
      const all = listCases(seen, optional)
      const chosen = isLong
        ? all
        : Array.from({ length: CASES }, () => all[Math.floor(random() * all.length)] as Withheld)
      expect(all.length).toBeGreaterThan(300)
      for (const [index, withheld] of chosen.entries()) {
        const { name, faults = [] } = withheld
        const problems: string[] = []
        server.faults.splice(0, server.faults.length, ...faults.map((fault) => ({ ...fault })))
        if (withheld.optional !== undefined) await configure(withheld.optional)
        if (index % KILLED_EVERY === KILLED_EVERY - 1) await scanAndKill(bench, server.requests, random)
        let isAnnounced = false
        for (const turn of ['first', 'second'] as const) {
          const { scan, changed, unseen } = await scanAndCompare(bench)
          isAnnounced ||= turn === 'second' && scan.warnings.some(({ code }) => code === announced)
          if (!isAnnounced) problems.push(...changed.map((change) => `the ${turn} scan changes ${change}`))
          const isSaid = scan.status !== 'COMPLETED' || scan.warnings.length > 0
          if (unseen > 0 && !isSaid) problems.push(`the ${turn} scan did not see ${unseen}, and says nothing`)
        }
        server.faults.splice(0)
        if (withheld.optional !== undefined) await configure(optional)
        await scanAndCompare(bench)
        const { changed, unseen } = await scanAndCompare(bench)
        problems.push(...changed.map((change) => `afterwards ${change}`))
        if (unseen > 0) problems.push(`${unseen} findings are not found afterwards`)
        planted.clean()
        await scanLater(bench)
        await scanLater(bench)
        const left = listKept(bench).filter(({ status }) => status === 'OPEN')
        problems.push(...left.map(({ asset, excerpt }) => `not resolved when removed: ${asset}: ${excerpt}`))
        planted.plant()
        await scanLater(bench)
        const gone = listKept(bench).filter(({ status }) => status === 'RESOLVED')
        problems.push(...gone.map(({ asset, excerpt }) => `not found again: ${asset}: ${excerpt}`))
        expect([name, problems.slice(0, 5)]).toEqual([name, []])
      }
    } finally {
      await bench.close()
      await server.close()
    }
  },
  maxMs(300_000),
)

/** A scan whose process is killed after some requests; the next one goes on with it. */
async function scanAndKill(bench: Workbench, requests: readonly unknown[], random: () => number): Promise<void> {
  const process = await startScanProcess()
  const due = requests.length + 1 + Math.floor(random() * 12)
  await process.scan({ home: bench.home, now: bench.clock.now }, () => requests.length >= due)
  await process.close()
}

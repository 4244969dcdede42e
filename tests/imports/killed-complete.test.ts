import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Store } from '../../src/store/store.ts'
import { mainFile, makeHome } from '../support/assay.ts'
import { expectKill } from '../support/endings.ts'
import { cases } from '../support/long.ts'
import { DAY, Season, type SeasonScanner, seasonScanners } from './season.ts'

const KILLS = cases(1, 50)
const scanner = seasonScanners[0] as SeasonScanner
const statusNames = ['OPEN', 'RESOLVED', 'FALSE_POSITIVE', 'IGNORED']

const toText = ({ expected }: Season) =>
  [...(expected.get(scanner.source) ?? [])]
    .map(([name, { status, history }]) => `${name} ${status} ${history.filter(({ to }) => to === 'RESOLVED').length}`)
    .sort()
    .join('\n')

const selectFindings = `SELECT a.name, c.status,
    (SELECT count(*) FROM status_change h WHERE h.finding_id = f.id AND h.to_status = 1) AS resolutions
  FROM finding f JOIN combo c ON c.id = f.combo_id JOIN asset a ON a.id = f.asset_id`

it(
  'an import of a complete file that is killed has resolved all that it resolves, or nothing',
  async () => {
    const { home, remove } = makeHome()
    const season = new Season(3, 400)
    const start = (...args: string[]): ChildProcess =>
      spawn(process.execPath, [mainFile, ...args], { env: { ...process.env, ASSAY_HOME: home }, stdio: 'ignore' })
    const read = () => {
      const store = Store.open(join(home, 'assay.db'), { now: Date.now })
      try {
        return store.read((reader) => ({
          isOpen: reader.prepare("SELECT 1 FROM scan WHERE status IN ('QUEUED', 'RUNNING')").get() !== undefined,
          findings: (reader.prepare(selectFindings).all() as { name: string; status: number; resolutions: number }[])
            .map(({ name, status, resolutions }) => `${name} ${statusNames[status]} ${resolutions}`)
            .sort()
            .join('\n'),
        }))
      } finally {
        store.close()
      }
    }
    const file = join(home, 'run.sarif')
    const importArgs = ['import', file, '--source', scanner.source, '--complete', '--accept-vanishing']
    let kills = 0
    try {
      for (let run = 0; kills < KILLS; run++) {
        const before = toText(season)
        const next = season.next(scanner)
        season.apply(scanner, { ...next, importedAt: next.at + DAY })
        const after = toText(season)
        writeFileSync(file, scanner.write(next))
        for (let state = run === 0 ? undefined : read(); state?.findings !== after || state.isOpen; state = read()) {
          const child = state?.isOpen ? start('serve', '--port', '0') : start(...importArgs)
          const ended = once(child, 'close')
          if (run > 0 && season.random() < 0.8) {
            await Promise.race([sleep(300 + season.random() * 900), ended])
            if (child.exitCode === null) {
              expectKill(child)
              child.kill('SIGKILL')
              kills++
            }
          } else if (state?.isOpen) {
            while (read().isOpen) await sleep(50)
            child.kill('SIGTERM')
          }
          await ended
          expect([before, after]).toContain(read().findings)
        }
      }
      expect(kills).toBeGreaterThanOrEqual(KILLS)
    } finally {
      remove()
    }
  },
  cases(120_000, 10_800_000),
)

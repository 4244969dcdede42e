import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifyAudit } from '../../src/audit/audit-chain.store.ts'
import { listDamagedDefinitions } from '../../src/store/digests.store.ts'
import { findLease } from '../../src/store/lease.store.ts'
import { Store } from '../../src/store/store.ts'
import { untilPrinted } from '../support/entry.ts'
import { cases, isLong } from '../support/long.ts'
import { killDrivers, openWindow, shareFolder } from './many.ts'

const PROCESSES = isLong ? 12 : 3
const SECONDS = cases(0.5, 120)
const KILLS = cases(1, 50)

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'assay-many-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const openStore = () => Store.open(join(home, 'assay.db'), { now: Date.now })

describe('many processes on one data folder', () => {
  it('run without a busy error, and one of them runs the loop', { timeout: 3_600_000 }, async () => {
    const { reports, codes, drivers, mostLogBytes } = await shareFolder(home, {
      processes: PROCESSES,
      seconds: SECONDS,
    })
    expect(codes).toEqual(Array.from({ length: PROCESSES }, () => 0))
    expect(reports.map(({ failures }) => failures)).toEqual(Array.from({ length: PROCESSES }, () => ({})))
    expect(Math.min(...reports.map(({ done }) => done))).toBeGreaterThan(0)
    expect(drivers.size).toBe(1)
    expect(mostLogBytes).toBeLessThan(64 * 1024 * 1024)
    const store = openStore()
    expect(store.examine('full')).toMatchObject({ integrity: 'ok', foreignKeys: 0 })
    expect(store.read(listDamagedDefinitions)).toEqual([])
    expect(store.read(verifyAudit).brokenAt).toBeUndefined()
    store.close()
  })

  it('always have one that runs the loop, and soon another one when it is killed', { timeout: 3_600_000 }, async () => {
    const { drove } = await killDrivers(home, { processes: isLong ? 6 : 2, kills: KILLS })
    expect(new Set(drove).size).toBe(KILLS)
  })

  it.runIf(isLong)(
    'have another process run the loop when its holder is paused, and only one after that resumes',
    async () => {
      const store = openStore()
      const windows = await Promise.all(Array.from({ length: 3 }, (_, index) => openWindow(home, `s${index}`, 3_600)))
      await Promise.all(windows.map((window) => untilPrinted(window, 'open')))
      const lease = () => store.read((reader) => findLease(reader, 'loop'))
      const driver = () => Number(lease()?.holder.split('/')[1] ?? 0)
      while (driver() === 0) await sleep(20)
      const first = windows.find(({ child }) => child.pid === driver())
      first?.child.kill('SIGSTOP')
      while (driver() === first?.child.pid) await sleep(100)
      const second = lease()?.holder
      first?.child.kill('SIGCONT')
      await sleep(5_000)
      expect(lease()?.holder).toBe(second)
      for (const { child } of windows) child.kill('SIGKILL')
      await Promise.all(windows.map(({ ended }) => ended))
      store.close()
    },
  )
})

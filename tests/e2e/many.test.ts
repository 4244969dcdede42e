import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifyAudit } from '../../src/store/audit.store.ts'
import { listDamagedDefinitions } from '../../src/store/digests.store.ts'
import { findLease } from '../../src/store/lease.store.ts'
import { Store } from '../../src/store/store.ts'
import { type Running, startEntry, untilPrinted } from '../support/entry.ts'

const PROCESSES = 12
const SECONDS = Number(process.env.ASSAY_SECONDS ?? 4)
const KILLS = Number(process.env.ASSAY_KILLS ?? 4)
const windowEntry = new URL('many-entry.ts', import.meta.url)

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'assay-many-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const openStore = () => Store.open(join(home, 'assay.db'), { now: Date.now })

describe('many processes on one data folder', () => {
  it('get on without a busy error, and one of them drives', { timeout: 3_600_000 }, async () => {
    const windows = await Promise.all(
      Array.from({ length: PROCESSES }, (_, index) => startEntry(windowEntry, [home, `w${index}`, String(SECONDS)])),
    )
    await Promise.all(windows.map((window) => untilPrinted(window, 'open')))
    const store = openStore()
    const tokens = new Set<number>()
    while (windows.some(({ output }) => !output().includes('"done"'))) {
      const lease = store.read((reader) => reader.prepare("SELECT token FROM lease WHERE name = 'loop'").get())
      if (lease !== undefined) tokens.add((lease as { token: number }).token)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    for (const { child } of windows) child.kill('SIGTERM')
    const codes = await Promise.all(windows.map(({ ended }) => ended))
    expect(codes).toEqual(Array.from({ length: PROCESSES }, () => 0))
    const reports = windows.map(({ output }) => JSON.parse(output().split('\n')[1] ?? '{}'))
    expect(reports.map(({ failures }) => failures)).toEqual(Array.from({ length: PROCESSES }, () => ({})))
    expect(Math.min(...reports.map(({ done }) => done))).toBeGreaterThan(0)
    expect(tokens.size).toBe(1)
    expect(store.examine(true)).toMatchObject({ integrity: 'ok', foreignKeys: 0 })
    expect(store.read(listDamagedDefinitions)).toEqual([])
    expect(store.read(verifyAudit).brokenAt).toBeUndefined()
    expect(statSync(join(home, 'assay.db-wal'), { throwIfNoEntry: false })?.size ?? 0).toBeLessThan(64 * 1024 * 1024)
    store.close()
  })

  it('always have one driver, and another one soon after it was killed', { timeout: 3_600_000 }, async () => {
    const store = openStore()
    const windows = new Map<number, Running>()
    const start = async () => {
      const window = await startEntry(windowEntry, [home, `k${Math.random().toString(36).slice(2)}`, '3600'])
      windows.set(window.child.pid ?? 0, window)
      await untilPrinted(window, 'open')
    }
    const driver = () => Number(store.read((reader) => findLease(reader, 'loop'))?.holder.split('/')[1] ?? 0)
    await Promise.all(Array.from({ length: 6 }, start))
    const drove = new Set<number>()
    for (let kill = 0; kill < KILLS; kill++) {
      while (!windows.has(driver())) await new Promise((resolve) => setTimeout(resolve, 20))
      const pid = driver()
      expect(drove.has(pid)).toBe(false)
      drove.add(pid)
      windows.get(pid)?.child.kill('SIGKILL')
      await windows.get(pid)?.ended
      windows.delete(pid)
      if (windows.size < 3) await start()
    }
    expect(drove.size).toBe(KILLS)
    for (const { child } of windows.values()) child.kill('SIGKILL')
    await Promise.all([...windows.values()].map(({ ended }) => ended))
    store.close()
  })

  const isLong = process.env.ASSAY_LONG === '1'
  it.runIf(isLong)('have another driver when the one there stands still, and only one when it goes on', async () => {
    const store = openStore()
    const windows = await Promise.all(
      Array.from({ length: 3 }, (_, index) => startEntry(windowEntry, [home, `s${index}`, '3600'])),
    )
    await Promise.all(windows.map((window) => untilPrinted(window, 'open')))
    const lease = () => store.read((reader) => findLease(reader, 'loop'))
    const driver = () => Number(lease()?.holder.split('/')[1] ?? 0)
    while (driver() === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    const first = windows.find(({ child }) => child.pid === driver())
    first?.child.kill('SIGSTOP')
    while (driver() === first?.child.pid) await new Promise((resolve) => setTimeout(resolve, 100))
    const second = lease()?.holder
    first?.child.kill('SIGCONT')
    await new Promise((resolve) => setTimeout(resolve, 5_000))
    expect(lease()?.holder).toBe(second)
    for (const { child } of windows) child.kill('SIGKILL')
    await Promise.all(windows.map(({ ended }) => ended))
    store.close()
  })
})

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findLease } from '../../src/store/lease.store.ts'
import { Store } from '../../src/store/store.ts'
import { type RunningEntry, startEntry, untilPrinted } from '../support/entry.ts'

const windowEntry = new URL('many-entry.ts', import.meta.url)
const LOOK_MS = 50

export interface WindowReport {
  /** Calls that were answered. */
  done: number
  /** How often calls failed, by reason. */
  failures: Record<string, number>
  /** How long each write waited until it was its turn. */
  waitsMs: number[]
}

export interface Shared {
  reports: WindowReport[]
  codes: (number | null)[]
  /** Marks of the drivers that were seen; each new driver has another. */
  drivers: Set<unknown>
  mostLogBytes: number
}

export const openWindow = (home: string, name: string, seconds: number, mostWrites = Number.POSITIVE_INFINITY) =>
  startEntry(windowEntry, [home, name, String(seconds), String(mostWrites)])

/** Has so many processes ask and change things on one data folder, each for so long or until it has written so often. */
export async function shareFolder(
  home: string,
  options: { processes: number; seconds: number; mostWrites?: number },
): Promise<Shared> {
  const windows = await Promise.all(
    Array.from({ length: options.processes }, (_, index) =>
      openWindow(home, `w${index}`, options.seconds, options.mostWrites),
    ),
  )
  await Promise.all(windows.map((window) => untilPrinted(window, 'open')))
  const store = Store.open(join(home, 'assay.db'), { now: Date.now })
  const drivers = new Set<unknown>()
  let mostLogBytes = 0
  while (windows.some(({ output }) => !output().includes('"done"'))) {
    const lease = store.read((reader) => reader.prepare("SELECT token FROM lease WHERE name = 'loop'").get())
    if (lease !== undefined) drivers.add((lease as { token: number }).token)
    const size = statSync(join(home, 'assay.db-wal'), { throwIfNoEntry: false })?.size ?? 0
    mostLogBytes = Math.max(mostLogBytes, size)
    await sleep(LOOK_MS)
  }
  store.close()
  for (const { child } of windows) child.kill('SIGTERM')
  const codes = await Promise.all(windows.map(({ ended }) => ended))
  const reports = windows.map(({ output }) => JSON.parse(output().split('\n')[1] ?? '{}') as WindowReport)
  return { reports, codes, drivers, mostLogBytes }
}

/** Kills the one that drives, again and again; tells who drove and how long it took until another did. */
export async function killDrivers(
  home: string,
  options: { processes: number; kills: number },
): Promise<{ drove: number[]; failoverMs: number[] }> {
  const store = Store.open(join(home, 'assay.db'), { now: Date.now })
  const windows = new Map<number, RunningEntry>()
  const start = async () => {
    const window = await openWindow(home, `k${Math.random().toString(36).slice(2)}`, 36_000)
    windows.set(window.child.pid ?? 0, window)
    await untilPrinted(window, 'open')
  }
  const driver = () => Number(store.read((reader) => findLease(reader, 'loop'))?.holder.split('/')[1] ?? 0)
  const untilDriven = async () => {
    while (!windows.has(driver())) await sleep(5)
  }
  await Promise.all(Array.from({ length: options.processes }, start))
  const [drove, failoverMs]: [number[], number[]] = [[], []]
  await untilDriven()
  while (drove.length < options.kills) {
    const pid = driver()
    drove.push(pid)
    windows.get(pid)?.child.kill('SIGKILL')
    await windows.get(pid)?.ended
    windows.delete(pid)
    const since = performance.now()
    await untilDriven()
    failoverMs.push(performance.now() - since)
    if (windows.size < options.processes / 2) await start()
  }
  for (const { child } of windows.values()) child.kill('SIGKILL')
  await Promise.all([...windows.values()].map(({ ended }) => ended))
  store.close()
  return { drove, failoverMs }
}

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LeaseStopped, ScanLease, SILENCE_MS } from '../../src/scans/lease.ts'
import { createOwner } from '../../src/scans/owner.ts'
import { finishScan, getScan, insertScan } from '../../src/scans/scans.store.ts'
import { insertSource } from '../../src/sources/sources.store.ts'
import { NOON, openStore } from '../support/context.ts'
import { sqliteOnly } from '../support/new-store.ts'

const serverClock = 'leases are measured by the clock of the server, which a test cannot set'
let now: number
let uid: string
let kept: ReturnType<typeof openStore>
beforeEach(() => {
  now = NOON
  kept = openStore(() => now)
  uid = kept.store.write((writer) => {
    const source = { uid: 'one', name: 'One', type: 'WIKI', config: {}, secrets: {}, nextRunAt: null }
    const sourceId = insertSource(writer, source, now)
    const draft = { sourceId, requestedBy: 'ada', configHash: '', detectorsHash: '', seed: 1, sampled: false }
    return insertScan(writer, { ...draft, trigger: 'MANUAL' }, now)
  })
})
afterEach(() => kept.remove())

const claim = () => {
  const { signal } = new AbortController()
  return ScanLease.claim(uid, {
    store: kept.store,
    owner: createOwner(),
    now: () => now,
    signal,
    heartbeatMs: 3_600_000,
  })
}
const need = (lease: ScanLease | undefined): ScanLease => {
  if (lease === undefined) throw new Error('the scan could not be claimed')
  return lease
}
const scan = () => kept.store.read((reader) => getScan(reader, uid))
const written: string[] = []
const write = (lease: ScanLease, word: string) => lease.write(() => written.push(word))

describe('a scan', () => {
  it('with a live lease cannot be claimed until its heartbeat is too old', (test) => {
    sqliteOnly(serverClock, test)
    const first = need(claim())
    now += SILENCE_MS
    expect(claim()).toBeUndefined()
    now += 1
    const second = need(claim())
    expect(second.scan.token).toBe(first.scan.token + 1)
    first.close()
    second.close()
  })

  it('refuses writes, heartbeats and completion by a process that lost its lease', (test) => {
    sqliteOnly(serverClock, test)
    const late = need(claim())
    write(late, 'before')
    now += SILENCE_MS + 1
    const present = need(claim())
    expect(() => write(late, 'late')).toThrow(LeaseStopped)
    expect(late.stop).toBe('lost')
    expect(late.end((writer) => finishScan(writer, late.scan.id, { status: 'FAILED' }, now))).toBe(false)
    late.release()
    expect(scan()).toMatchObject({ status: 'RUNNING', token: present.scan.token, heartbeatAt: now })
    write(present, 'after')
    expect(present.end((writer) => finishScan(writer, present.scan.id, { status: 'COMPLETED' }, now))).toBe(true)
    expect(scan().status).toBe('COMPLETED')
    expect(written).toEqual(['before', 'after'])
  })

  it('that has ended cannot be claimed', () => {
    const lease = need(claim())
    lease.end((writer) => finishScan(writer, lease.scan.id, { status: 'COMPLETED' }, now))
    now += 10 * SILENCE_MS
    expect(claim()).toBeUndefined()
  })
})

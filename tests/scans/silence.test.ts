import { hostname } from 'node:os'
import { expect, it } from 'vitest'
import type { ScanRecord } from '../../src/scans/model.ts'
import { isLeaseAlive, watchHeartbeats } from '../../src/scans/silence.ts'

const SECOND = 1_000
const DAY = 86_400_000
const scan = (more: Partial<ScanRecord>) =>
  ({ uid: 's', status: 'RUNNING', owner: 'elsewhere/1/x', heartbeatAt: 0, token: 1, ...more }) as ScanRecord

it.each([0, DAY, -DAY])(
  'a process whose clock differs by %d ms keeps its scan while its heartbeat continues',
  (differenceMs) => {
    let time = 0
    const isHeartbeatStale = watchHeartbeats(() => time)
    for (; time < 200 * SECOND; time += SECOND) {
      const heartbeatAt = differenceMs + Math.floor(time / (2 * SECOND)) * 2 * SECOND
      expect(isHeartbeatStale(scan({ heartbeatAt }))).toBe(false)
    }
  },
)

it('a process without a heartbeat for thirty seconds loses its scan, regardless of its clock', () => {
  let time = 0
  const isHeartbeatStale = watchHeartbeats(() => time)
  expect(isHeartbeatStale(scan({ heartbeatAt: DAY }))).toBe(false)
  time = 30 * SECOND
  expect(isHeartbeatStale(scan({ heartbeatAt: DAY }))).toBe(false)
  time += 1
  expect(isHeartbeatStale(scan({ heartbeatAt: DAY }))).toBe(true)
  expect(isHeartbeatStale(scan({ heartbeatAt: DAY, token: 2 }))).toBe(false)
})

it.each<[string, Partial<ScanRecord>]>([
  ['waits', { status: 'QUEUED' }],
  ['has no owner', { owner: null }],
  ['was run by a process that has ended', { owner: `${hostname()}/4194399/dead` }],
])('a scan that %s can be claimed at once', (_, more) => {
  expect(watchHeartbeats()(scan(more))).toBe(true)
})

it('a process with an old heartbeat counts as dead only after thirty seconds without a change', async () => {
  let time = 0
  const look = (heartbeatAt: (time: number) => number) =>
    isLeaseAlive(() => scan({ heartbeatAt: heartbeatAt(time) }), {
      now: () => DAY,
      signal: new AbortController().signal,
      monotonic: () => {
        time += 15 * SECOND
        return time
      },
    })
  expect(await look(() => 0)).toBe(false)
  time = 0
  expect(await look((at) => at)).toBe(true)
})

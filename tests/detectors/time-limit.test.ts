import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { limitTime, OutOfTime } from '../../src/detectors/time-limit.ts'

const LIMIT_MS = 100

it.runIf(process.threadCpuUsage !== undefined)('what other threads use does not count', async () => {
  const busy = new Worker("require('node:worker_threads').parentPort.postMessage(1); for (;;);", { eval: true })
  await once(busy, 'message')
  const [before, check] = [process.cpuUsage(), limitTime(LIMIT_MS)]
  const used = () => process.cpuUsage(before).user / 1_000
  while (used() <= 2 * LIMIT_MS) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
  expect(check).not.toThrow()
  await busy.terminate()
})

it('ends a detector that has used its time', () => {
  const check = limitTime(LIMIT_MS)
  expect(() => {
    for (;;) check()
  }).toThrow(OutOfTime)
})

import { getPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { buildEntry } from '../support/entry.ts'

const script = await buildEntry(new URL('../../src/runtime/thread-priority.ts', import.meta.url))
const code = `
  import(${JSON.stringify(script)}).then(({ lowerThreadPriority }) => {
    lowerThreadPriority()
    require('node:worker_threads').parentPort.postMessage(require('node:os').getPriority(0))
  })`

it.runIf(process.platform === 'linux')('lowers the priority of the calling thread only', async () => {
  const before = getPriority(0)
  const worker = new Worker(code, { eval: true })
  const inside = await new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  await worker.terminate()
  expect(inside).toBe(Math.min(19, before + 5))
  expect(getPriority(0)).toBe(before)
})

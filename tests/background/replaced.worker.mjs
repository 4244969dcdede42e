import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, threadId, workerData } from 'node:worker_threads'

const reply = (id, value) => parentPort.postMessage({ kind: 'reply', id, value })

parentPort.on('message', async ({ kind, id, name, input }) => {
  if (kind === 'stop') parentPort.postMessage({ kind: 'stopped' })
  else if (name === 'answer') {
    await sleep(input.input.afterMs)
    reply(id, JSON.stringify(threadId))
  } else if (name === 'load') {
    reply(id)
    for (;;) {
      parentPort.postMessage({ kind: 'event', name: 'outdated' })
      parentPort.postMessage({ kind: 'event', name: 'log', value: String(threadId) })
      await sleep(50)
    }
  } else if (workerData.home === 'builds') {
    await sleep(100)
    reply(id)
  } else parentPort.postMessage({ kind: 'fault', id, error: new Error('not built') })
})

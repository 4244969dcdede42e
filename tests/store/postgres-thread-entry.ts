import { workerData } from 'node:worker_threads'
import { openStore } from '../../src/store/open-store.ts'

const { place, connections, port } = workerData
const store = await openStore(place, { now: () => 0, mustExist: true, connections })
store.write((writer) => {
  writer.prepare(`INSERT INTO word (text, folded) VALUES ('of a thread', '')`).run()
  writer.prepare('SELECT 1').get()
  port.postMessage('written')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})

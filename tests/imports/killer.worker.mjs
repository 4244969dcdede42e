import { workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { placeOf, places, selectProgress } from './import-places.mjs'

// A thread of its own, because it looks every half millisecond whatever else its process is at.
const { file, pid, before, isOpen, place, delayMs } = workerData
const database = new Database(file, { readonly: true, timeout: 5_000 })
const select = database.prepare(selectProgress)
const sleeping = new Int32Array(new SharedArrayBuffer(4))

function hasCome() {
  const progress = select.get()
  const reached = placeOf(progress, before)
  if (isOpen && reached !== 'completed' && progress.token === before.token) return false
  return reached !== undefined && places.indexOf(reached) >= places.indexOf(place)
}

function kill(signal) {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

while (kill(0) && !hasCome()) Atomics.wait(sleeping, 0, 0, 0.5)
if (delayMs > 0) Atomics.wait(sleeping, 0, 0, delayMs)
kill('SIGKILL')
database.close()

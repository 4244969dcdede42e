// Starts threads that load the driver of SQLite, and terminates each, or ends the process, in that moment.
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread } from 'node:worker_threads'
import { openEvents, openWorker, serveCalls } from '../../src/runtime/worker-rpc.ts'

type Protocol = { calls: Record<never, never>; notices: Record<never, never>; events: { loading: undefined } }

const [task = '', times = '1'] = process.argv.slice(2)
const AT_ONCE = 3
/** About the time that the driver takes to load. */
const LOAD_MS = 5

async function startUntilItLoads() {
  const loading = Promise.withResolvers<void>()
  const thread = openWorker<Protocol>({
    script: new URL(import.meta.url),
    events: { loading: () => loading.resolve() },
  })
  await loading.promise
  await sleep(Math.random() * LOAD_MS)
  return thread
}

async function endThreads(): Promise<void> {
  const take = async () => {
    for (let count = 0; count < Number(times); count++) await (await startUntilItLoads()).terminate()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, take))
}

const keepAlive = setInterval(() => undefined, 1000)
if (!isMainThread) {
  openEvents<Protocol>()('loading', undefined)
  await import('../../src/store/sqlite.ts')
  serveCalls<Protocol>({ calls: {} })
} else if (task === 'threads') await endThreads()
else {
  await Promise.race(Array.from({ length: AT_ONCE }, startUntilItLoads))
  process.exit()
}
clearInterval(keepAlive)

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

// Read into a server before its program: tells the process that started it how late the main thread's event loop is.
// A message `begin` starts over; `end` is answered with the milliseconds since then.

const RESOLUTION_MS = 2
const MILLISECOND = 1e6

if (isMainThread && process.send !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  // The histogram has the time between two turns of its timer, so what the timer waits anyway is taken off.
  const late = (nanoseconds) => Math.max(0, nanoseconds / MILLISECOND - RESOLUTION_MS)
  delay.enable()
  process.on('message', (message) => {
    if (message === 'begin') delay.reset()
    if (message !== 'end') return
    const [p50, p99] = [50, 99].map((share) => late(delay.percentile(share)))
    process.send({ p50, p99, most: late(delay.max), turns: delay.count })
  })
  // Nobody is left to ask, so the server ends as if it were told to.
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
}

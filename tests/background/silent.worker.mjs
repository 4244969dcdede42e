import { parentPort } from 'node:worker_threads'

// A thread that answers nothing, and ends when it is told to.
parentPort.on('message', ({ kind }) => {
  if (kind === 'stop') process.exit(0)
})

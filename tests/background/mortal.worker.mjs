import { parentPort } from 'node:worker_threads'

// A thread that dies when it is asked anything.
parentPort.on('message', () => process.exit(1))

import { AppError } from '../../src/kernel/errors.ts'
import { openEvents, serveCalls, Transferred } from '../../src/runtime/worker-rpc.ts'

export type EchoProtocol = {
  calls: {
    double: { input: number; reply: number }
    refuse: { input: object; reply: never }
    fail: { input: string; reply: never }
    reverse: { input: Uint8Array; reply: Uint8Array }
    untilCancelled: { input: undefined; reply: never }
    blockUntilCancelled: { input: undefined; reply: number }
    hang: { input: undefined; reply: never }
    die: { input: undefined; reply: never }
    functionOf: { input: undefined; reply: never }
  }
  notices: { note: string }
  events: { heard: string }
}

const emit = openEvents<EchoProtocol>()
const aborted = (signal: AbortSignal) =>
  new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))

const receiveCalls = serveCalls<EchoProtocol>({
  calls: {
    double: (number) => number * 2,
    refuse: (facts) => {
      throw new AppError('conflict', 'Choose another name.', facts)
    },
    fail: (message) => {
      throw new TypeError(message)
    },
    reverse: (bytes) => {
      bytes.reverse()
      return new Transferred(bytes, [bytes.buffer as ArrayBuffer])
    },
    untilCancelled: async (_, signal) => {
      await aborted(signal)
      emit('heard', 'cancelled')
      throw new AppError('unavailable', 'It was cancelled.')
    },
    blockUntilCancelled: (_, signal) => {
      for (let turns = 1; ; turns++) {
        receiveCalls()
        if (signal.aborted) return turns
      }
    },
    hang: () => {
      for (;;);
    },
    die: () => {
      setImmediate(() => {
        throw new RangeError('dead')
      })
      return new Promise(() => {})
    },
    functionOf: () => (() => {}) as never,
  },
  notices: { note: (text) => emit('heard', text) },
  stop: async (callsEnded) => {
    await callsEnded
    emit('heard', 'stopped')
  },
})

import { register } from 'tsx/esm/api'

register()
const { openEvents, serveCalls, Transferred } = await import('../../src/runtime/worker-rpc.ts')
const { AppError } = await import('../../src/kernel/errors.ts')

const emit = openEvents()
const aborted = (signal) => new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))

serveCalls({
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
      return new Transferred(bytes, [bytes.buffer])
    },
    untilCancelled: async (_, signal) => {
      await aborted(signal)
      emit('heard', 'cancelled')
      throw new AppError('unavailable', 'It was cancelled.')
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
    functionOf: () => () => {},
  },
  notices: { note: (text) => emit('heard', text) },
  stop: async (callsEnded) => {
    await callsEnded
    emit('heard', 'stopped')
  },
})

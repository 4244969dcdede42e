import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { AppError } from '../../src/kernel/errors.ts'
import { openWorker, WorkerLost } from '../../src/runtime/worker-rpc.ts'
import { errorOf } from '../support/context.ts'
import { takeFaults } from '../support/endings.ts'
import { buildEntry } from '../support/entry.ts'
import type { EchoProtocol } from './echo.worker.ts'

let script: URL
beforeAll(async () => {
  script = pathToFileURL(await buildEntry(new URL('./echo.worker.ts', import.meta.url)))
})

function openEcho() {
  const heard: string[] = []
  const exits: unknown[] = []
  const worker = openWorker<EchoProtocol>({
    script,
    events: { heard: (text) => heard.push(text) },
    onExit: (error) => exits.push(error),
  })
  onTestFinished(() => worker.terminate())
  return { worker, heard, exits }
}

describe('a call', () => {
  it('is answered, concurrently with others, and counted while it is pending', async () => {
    const { worker } = openEcho()
    const replies = [1, 2, 3].map((number) => worker.call('double', number))
    expect(worker.pending).toBe(3)
    expect(await Promise.all(replies)).toEqual([2, 4, 6])
    expect(worker.pending).toBe(0)
  })

  it('that blocks its thread receives its cancellation, and those that arrive meanwhile are answered', async () => {
    const { worker } = openEcho()
    const stop = new AbortController()
    const blocked = worker.call('blockUntilCancelled', undefined, { signal: stop.signal })
    const reply = worker.call('double', 4)
    stop.abort()
    expect(await blocked).toBeGreaterThan(0)
    expect(await reply).toBe(8)
  })

  it('rejects with the complete AppError of the worker', async () => {
    const { worker } = openEcho()
    const facts = { reason: 'taken', issues: [{ path: 'name', message: 'is taken.' }], suggestions: [] }
    const error = await errorOf(worker.call('refuse', facts))
    expect(error).toBeInstanceOf(AppError)
    expect(error).toMatchObject({ code: 'conflict', message: 'Choose another name.', facts })
  })

  it('rejects with any other error, and when the reply cannot be sent', async () => {
    const { worker } = openEcho()
    await expect(worker.call('fail', 'no such row')).rejects.toThrow('no such row')
    await expect(worker.call('functionOf', undefined)).rejects.toThrow('could not be cloned')
    expect(await worker.call('double', 4)).toBe(8)
  })

  it('transfers buffers in both directions instead of copying them', async () => {
    const { worker } = openEcho()
    const bytes = Uint8Array.of(1, 2, 3)
    const reply = worker.call('reverse', bytes, { transfer: [bytes.buffer] })
    expect(bytes.length).toBe(0)
    expect([...(await reply)]).toEqual([3, 2, 1])
  })

  it('whose input cannot be sent is not counted', async () => {
    const { worker } = openEcho()
    await expect(worker.call('refuse', () => {})).rejects.toThrow('could not be cloned')
    expect(worker.pending).toBe(0)
  })
})

describe('cancelling a call', () => {
  it('aborts its signal in the worker, and waits for the answer', async () => {
    const { worker, heard } = openEcho()
    const stop = new AbortController()
    const call = worker.call('untilCancelled', undefined, { signal: stop.signal })
    stop.abort()
    await expect(call).rejects.toThrow('It was cancelled.')
    expect(heard).toEqual(['cancelled'])
  })

  it('rejects at once where its caller defines an error for cancellation', async () => {
    const { worker } = openEcho()
    const stop = new AbortController()
    stop.abort()
    const call = worker.call('hang', undefined, { signal: stop.signal, toCancelled: () => new Error('gone') })
    await expect(call).rejects.toThrow('gone')
    expect(worker.pending).toBe(1)
  })
})

describe('a worker', () => {
  it('receives notifications and emits events', async () => {
    const { worker, heard } = openEcho()
    worker.notify('note', 'hello')
    await worker.call('double', 1)
    expect(heard).toEqual(['hello'])
  })

  it('cancels its calls and then stops', async () => {
    const { worker, heard, exits } = openEcho()
    const call = worker.call('untilCancelled', undefined)
    await Promise.all([worker.stop(20_000), expect(call).rejects.toThrow('It was cancelled.')])
    expect(heard).toEqual(['cancelled', 'stopped'])
    expect(exits).toEqual([undefined])
    await expect(worker.call('double', 1)).rejects.toBeInstanceOf(WorkerLost)
  })

  it('is terminated when it does not stop within the time limit', async () => {
    const { worker } = openEcho()
    await worker.call('double', 1)
    const call = expect(worker.call('hang', undefined)).rejects.toBeInstanceOf(WorkerLost)
    await worker.stop(50)
    await call
  })

  it('rejects its calls with the cause when it dies', async () => {
    const { worker, exits } = openEcho()
    const call = worker.call('die', undefined)
    await expect(call).rejects.toMatchObject({ name: 'WorkerLost', cause: { message: 'dead' } })
    expect(exits).toMatchObject([{ message: 'dead' }])
    expect(worker.isLost).toBe(true)
    expect(takeFaults()).toEqual([expect.stringContaining('dead')])
  })

  it('rejects its calls at once when it is terminated', async () => {
    const { worker } = openEcho()
    await worker.call('double', 1)
    const call = worker.call('hang', undefined)
    void worker.terminate()
    await expect(call).rejects.toBeInstanceOf(WorkerLost)
  })
})

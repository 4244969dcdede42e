import { MessageChannel, Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { shareConnections } from '../../src/store/postgres/client.ts'
import type { PostgresStore } from '../../src/store/postgres/store.ts'
import type { Writer } from '../../src/store/store.ts'
import { takeFaults } from '../support/endings.ts'
import {
  createDatabase,
  missingPostgres,
  openAdmin,
  openPostgresStore,
  type PostgresServer,
  startPostgres,
} from '../support/postgres.ts'
import { safe } from '../support/safe-text.ts'

const NOW = Date.UTC(2026, 5, 15)
const LIST_OPEN = `SELECT state FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`

describe.skipIf(missingPostgres !== undefined)(`connections to PostgreSQL ${missingPostgres ?? ''}`, () => {
  let server: PostgresServer
  let database: ReturnType<typeof createDatabase>
  let admin: ReturnType<typeof openAdmin>
  beforeAll(async () => {
    server = await startPostgres()
    database = createDatabase(server)
    openPostgresStore(database.connectionString, () => NOW).close()
    admin = openAdmin(server, database.name)
    await untilOpen([])
  }, 120_000)
  afterAll(() => {
    admin.close()
    database.drop()
    server.stop()
  })

  const untilOpen = (states: string[]) =>
    vi.waitFor(() => expect(admin.query(LIST_OPEN).flat().sort()).toEqual(states), { timeout: 10_000, interval: 50 })
  const open = (): PostgresStore => {
    const store = openPostgresStore(database.connectionString, () => NOW)
    onTestFinished(() => store.close())
    return store
  }
  const add = (writer: Writer, text: string) =>
    writer.prepare(`INSERT INTO word (text, folded) VALUES (?, '')`).run(safe(text))
  const has = (store: PostgresStore, text: string) =>
    store.read((reader) => reader.prepare('SELECT count(*) FROM word WHERE text = ?').pluck().get(text)) === 1

  it('of a terminated thread end with their transactions', async () => {
    const store = open()
    store.write((writer) => add(writer, 'before'))
    const connections = shareConnections()
    const { port1, port2 } = new MessageChannel()
    const thread = new Worker(new URL('./postgres-thread-entry.ts', import.meta.url), {
      workerData: { place: store.place, connections, port: port2 },
      transferList: [connections.port, port2],
    })
    await new Promise((resolve) => port1.once('message', resolve))
    await untilOpen(['idle', 'idle', 'idle', 'idle in transaction'])
    await thread.terminate()
    await untilOpen(['idle', 'idle'])
    expect([has(store, 'before'), has(store, 'of a thread')]).toEqual([true, false])
    store.write((writer) => add(writer, 'after'))
    expect(has(store, 'after')).toBe(true)
  })

  it('are opened again when the thread that holds them has ended, and the transaction fails', async () => {
    const store = open()
    expect(has(store, 'kept')).toBe(false)
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
    onTestFinished(() => warn.mockRestore())
    const write = () =>
      store.write((writer) => {
        add(writer, 'lost')
        expect(writer.prepare('SELECT 1').pluck().get()).toBe(1)
        // It cannot serve this.
        shareConnections().port.postMessage('nothing')
        writer.prepare('SELECT pg_sleep(0.5)').get()
      })
    expect(write).toThrow('cannot be reached')
    expect(has(store, 'lost')).toBe(false)
    store.write((writer) => add(writer, 'kept'))
    expect(has(store, 'kept')).toBe(true)
    await vi.waitFor(() => expect(warn).toHaveBeenCalledOnce())
    expect(takeFaults()).toHaveLength(1)
  })
})

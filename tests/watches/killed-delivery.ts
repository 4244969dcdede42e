import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { operations } from '../../src/catalogue.ts'
import { createRandom } from '../../src/sample/ids.ts'
import { Store } from '../../src/store/store.ts'
import { getWatch } from '../../src/watches/lifecycle.ts'
import { insertChange } from '../../src/watches/states.store.ts'
import { caller, contextOf, localPerson } from '../support/context.ts'
import { buildEntry } from '../support/entry.ts'
import { certificateFile, openReceiver, type Received, type Reply } from './receiver.ts'

export interface KilledDeliveries {
  kills: number
  changes: number
  received: number
  /** Messages that came again with an id that was accepted before. */
  doubles: number
  outOfOrder: string[]
  missing: string[]
}

const entry = new URL('delivery-entry.ts', import.meta.url)

/** How long a receiver has to answer. */
export const TIMEOUT_MS = 1_000

/** Kills the process that sends, again and again, while changes are made and the receiver fails now and then. */
export async function killDeliverers(
  kills: number,
  seed: number,
  replies?: (received: Received) => Reply | Promise<Reply>,
): Promise<KilledDeliveries> {
  const script = await buildEntry(entry)
  const random = createRandom(seed)
  const folder = mkdtempSync(join(tmpdir(), 'assay-delivery-'))
  const file = join(folder, 'assay.db')
  const store = Store.open(file, { now: () => Date.now() })
  const receiver = await openReceiver(async (received) => {
    await sleep(random() * 8)
    if (replies !== undefined) return replies(received)
    return random() < 0.05 ? { status: 500 } : { status: 204 }
  })
  const ids: string[] = []
  try {
    const context = { ...contextOf({ store, now: () => Date.now(), caller: localPerson }), webhookHosts: ['127.0.0.1'] }
    const deliver = [{ type: 'webhook', url: receiver.url, format: 'json', secret: 'signing-key' }]
    const condition = { kind: 'above', value: 1 }
    const input = { slug: 'w', displayName: 'W', metricSlug: 'open-findings', condition, deliver }
    await caller(operations, context)('create_watch', input)
    const addChanges = (count: number) =>
      store.write((writer) => {
        const { id } = getWatch(writer, 'w')
        for (let index = 0; index < count; index++) {
          const uid = crypto.randomUUID()
          ids.push(uid)
          const [from, to] = ids.length % 2 === 0 ? (['OK', 'FIRING'] as const) : (['FIRING', 'OK'] as const)
          insertChange(writer, id, { uid, key: [], at: Date.now(), from, to, value: ids.length, reason: null })
        }
      })
    const start = () =>
      spawn(process.execPath, [script, file, String(TIMEOUT_MS)], {
        env: { ...process.env, NODE_EXTRA_CA_CERTS: certificateFile },
        stdio: 'ignore',
      })
    for (let kill = 0; kill < kills; kill++) {
      addChanges(20)
      const before = receiver.seen.length
      const child = start()
      const closed = once(child, 'close')
      const wanted = before + 1 + Math.floor(random() * 15)
      for (let waited = 0; receiver.seen.length < wanted && waited < 15_000; waited += 1) await sleep(1)
      await sleep(random() * 10)
      child.kill('SIGKILL')
      await closed
    }
    addChanges(3)
    const last = start()
    const closed = once(last, 'close')
    const isDone = () => new Set(receiver.accepted.map(({ body }) => idOf(body))).size >= ids.length
    for (let waited = 0; !isDone() && waited < 3_000; waited++) await sleep(100)
    last.kill('SIGKILL')
    await closed
    const accepted = receiver.accepted.map(({ body }) => idOf(body))
    const first = [...new Set(accepted)]
    return {
      kills,
      changes: ids.length,
      received: accepted.length,
      doubles: accepted.length - first.length,
      outOfOrder: first.filter((id, index) => ids[index] !== id),
      missing: ids.filter((id) => !first.includes(id)),
    }
  } finally {
    await receiver.close()
    store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const idOf = (body: string): string => (JSON.parse(body) as { id: string }).id

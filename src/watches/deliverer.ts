import type { WebhookSender } from '../connectors/webhooks.ts'
import { AppError } from '../kernel/errors.ts'
import { createCodeMasker } from '../operation/lockdown/codes.ts'
import { withhold } from '../operation/lockdown/lockdown.ts'
import type { Log } from '../runtime/log.ts'
import type { Vault } from '../store/keys/vault.ts'
import type { Store } from '../store/store.ts'
import { toJsonMessage, toSlackMessage } from './messages.ts'
import { openReceiver } from './receivers.ts'
import { type DueDelivery, dropDelivery, finishDelivery, listDueDeliveries, postponeDelivery } from './states.store.ts'
import { toStateChange, WatchStateChange } from './view.ts'
import { findWatch } from './watches.store.ts'

const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 3_600_000
const GIVE_UP_MS = 24 * 3_600_000
const MAX_AT_ONCE = 4

export interface DelivererOptions {
  store: Store
  vault: Vault
  sender: Pick<WebhookSender, 'post'>
  log: Log
  now: () => number
  signal: AbortSignal
  /** Messages contain no text from tenants. */
  lockdown: boolean
  lockdownCodes: boolean
  publicUrl?: string | undefined
  random?: () => number
}

export interface Deliverer {
  /**
   * Starts sending the due changes, to each receiver one after the other; `mayContinue` is asked before each
   * message. Returns at once.
   */
  send(mayContinue: () => boolean): void
  /** Resolves when nothing is being sent. */
  settled(): Promise<void>
}

/**
 * Sends changes of state to receivers, in order and at least once: a change is sent again, with the same id and body,
 * when it is not known whether it arrived.
 */
export function createDeliverer(options: DelivererOptions): Deliverer {
  const { store, log, now, signal } = options
  const busy = new Map<number, Promise<void>>()

  /** Sends to one receiver until nothing is due or an attempt fails. */
  const serve = async (first: DueDelivery, mayContinue: () => boolean) => {
    let due: DueDelivery | undefined = first
    while (due !== undefined && !signal.aborted && mayContinue()) {
      const sent: DueDelivery = due
      const failure = await post(sent, options)
      if (signal.aborted) return
      await store.waitForWriteLock({ signal })
      store.write((writer) => {
        if (failure === undefined) return finishDelivery(writer, sent)
        if (now() - sent.change.at >= GIVE_UP_MS) return dropDelivery(writer, sent, failure)
        const random = options.random ?? Math.random
        const waitMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(sent.tries, 20)) * (1 + random() * 0.2)
        return postponeDelivery(writer, sent, { nextAt: now() + Math.round(waitMs), failure })
      })
      if (failure !== undefined) {
        log.warn('a change of a watch was not accepted', { watch: sent.change.slug, failure, tries: sent.tries + 1 })
        return
      }
      due = store
        .read((reader) => listDueDeliveries(reader, now()))
        .find(({ receiverId }) => receiverId === sent.receiverId)
    }
  }

  return {
    send: (mayContinue) => {
      for (const due of store.read((reader) => listDueDeliveries(reader, now()))) {
        const { receiverId } = due
        if (busy.size >= MAX_AT_ONCE || signal.aborted) return
        if (busy.has(receiverId)) continue
        const serving = serve(due, mayContinue)
          .catch((error: unknown) => log.warn('changes of watches could not be sent', { error }))
          .finally(() => busy.delete(receiverId))
        busy.set(receiverId, serving)
      }
    },
    settled: async () => {
      await Promise.all(busy.values())
    },
  }
}

/** Why the change was not accepted; undefined if it was. */
async function post({ receiverId, change }: DueDelivery, options: DelivererOptions): Promise<string | undefined> {
  const { store, vault, sender, lockdown, lockdownCodes, publicUrl, signal } = options
  const watch = store.read((reader) => findWatch(reader, change.slug))
  const receiver = watch?.receivers.find(({ id }) => id === receiverId)
  if (watch === undefined || receiver === undefined) return 'is gone'
  const shown = toStateChange(watch, change)
  const safe = lockdown
    ? (withhold(
        WatchStateChange,
        shown,
        await createCodeMasker({ read: (work) => store.read(work), vault, lockdownCodes }),
      ) as WatchStateChange)
    : shown
  try {
    const secrets = openReceiver(vault, watch.uid, receiver)
    const message = receiver.format === 'slack' ? toSlackMessage(safe) : toJsonMessage(safe, secrets, publicUrl)
    return await sender.post({ address: secrets.url, ...message }, signal)
  } catch (error) {
    if (error instanceof AppError) return error.facts.reason ?? error.code
    throw error
  }
}

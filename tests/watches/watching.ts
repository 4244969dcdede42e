import { operations } from '../../src/catalogue.ts'
import type { WebhookMessage, WebhookSender } from '../../src/connectors/webhooks.ts'
import { importFindings } from '../../src/imports/imports.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { finishScan, getScan, insertScan } from '../../src/scans/scans.store.ts'
import { getSource } from '../../src/sources/sources.store.ts'
import { createDeliverer } from '../../src/watches/deliverer.ts'
import { createWatchKeeper, type WatchKeeper } from '../../src/watches/keeper.ts'
import { caller, openContext, type TestContext } from '../support/context.ts'

export const DAY = 86_400_000

/** A finding of an import, by its number. */
export interface ImportedFinding {
  id: number
  severity: string
  first: number
  resolved?: number
  container?: string
}

export const toLine = ({ id, severity, first, resolved, container = `Space ${id % 3}` }: ImportedFinding): string =>
  JSON.stringify({
    asset: { key: `page-${id % 7}-${container}`, name: `Page ${id % 7}`, container },
    detectorType: 'SECRETS',
    findingType: 'TOKEN',
    severity,
    firstDetectedAt: new Date(first).toISOString(),
    ...(resolved === undefined ? {} : { status: 'RESOLVED', resolvedAt: new Date(resolved).toISOString() }),
    fingerprint: `f${id}`,
  })

async function* streamOf(text: string) {
  yield text
}

/** A database whose watches are evaluated when `tick` is called, and a receiver that answers as `answer` says. */
export interface Watching {
  context: TestContext
  // biome-ignore lint/suspicious/noExplicitAny: the shape of answers is what the tests are about
  ask(name: string, input?: object): Promise<any>
  /** Imports findings, which ends as a completed scan of the source. */
  bring(findings: readonly ImportedFinding[], source?: string): Promise<void>
  /** Ends a scan of a source without an import. */
  endScan(status: 'FAILED' | 'PARTIAL' | 'COMPLETED' | 'CANCELLED', source?: string): void
  keeper: WatchKeeper
  tick(): Promise<void>
  /** The messages that the receiver accepted. */
  sent: WebhookMessage[]
  /** What the receiver does with a message; the words of a failure. */
  answer: { now: WebhookSender['post'] }
}

export function openWatching(options: { lockdown?: boolean; webhookHosts?: string[] } = {}): Watching {
  const context = { ...openContext(), webhookHosts: options.webhookHosts ?? [] }
  const { store, vault, clock } = context
  const sent: WebhookMessage[] = []
  const answer: Watching['answer'] = { now: async () => undefined }
  const sender = {
    post: async (message: WebhookMessage, signal: AbortSignal) => {
      const failure = await answer.now(message, signal)
      if (failure === undefined) sent.push(message)
      return failure
    },
  }
  const common = { store, log: silentLog, now: () => clock.now, signal: context.signal }
  const lockdown = options.lockdown ?? false
  const deliverer = createDeliverer({ ...common, vault, sender, lockdown, lockdownCodes: false, random: () => 0 })
  const keeper = createWatchKeeper({ ...common, deliverer })
  return {
    context,
    ask: caller(operations, context),
    bring: async (findings, source = 'scanner') => {
      const request = { source, format: 'ndjson' } as const
      await importFindings(streamOf(findings.map((each) => `${toLine(each)}\n`).join('')), request, context)
    },
    endScan: (status, source = 'scanner') =>
      store.write((writer) => {
        const { id } = getSource(writer, source)
        const draft = { sourceId: id, configHash: 'c', detectorsHash: 'd', seed: 1, sampled: false }
        const uid = insertScan(writer, { ...draft, trigger: 'MANUAL', requestedBy: 'test' }, clock.now)
        finishScan(writer, getScan(writer, uid).id, { status }, clock.now)
      }),
    keeper,
    tick: async () => {
      keeper.tick(() => true)
      await keeper.settled()
    },
    sent,
    answer,
  }
}

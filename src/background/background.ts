import { createWebhookSender } from '../connectors/webhooks.ts'
import type { ScanRunner } from '../operation/context.ts'
import { createMetricTestKeeper } from '../query/metric-test-keeper.ts'
import type { Log } from '../runtime/log.ts'
import type { Vault } from '../store/keys/vault.ts'
import type { Store } from '../store/store.ts'
import { createDeliverer } from '../watches/deliverer.ts'
import { createWatchKeeper } from '../watches/keeper.ts'
import { type ReadElsewhere, readWatchElsewhere } from '../watches/operations.ts'
import { type Loop, startLoop } from './loop.ts'

/** The settings that scheduled work depends on. */
export interface BackgroundSettings {
  lockdown: boolean
  lockdownCodes: boolean
  publicUrl?: string | undefined
  webhookHosts: readonly string[]
}

export interface BackgroundOptions {
  store: Store
  vault: Vault
  log: Log
  now: () => number
  signal: AbortSignal
  settings: BackgroundSettings
  scans: ScanRunner
  /** Answers a question on another thread. */
  answer: ReadElsewhere
}

/** Starts the loop with all that it runs: due scans, tests of metrics, watches and their messages, and what others left unfinished. */
export function startBackground({ settings, scans, answer, ...options }: BackgroundOptions): Loop {
  const { lockdown, lockdownCodes, publicUrl, webhookHosts } = settings
  const sender = createWebhookSender({ hosts: webhookHosts })
  const deliverer = createDeliverer({ ...options, sender, lockdown, lockdownCodes, publicUrl })
  const watches = createWatchKeeper({ ...options, deliverer, evaluate: readWatchElsewhere(answer) })
  const tests = createMetricTestKeeper({ ...options, answer })
  return startLoop({ ...options, scans, watches, tests })
}

import { createWebhookSender } from '../../src/connectors/webhooks.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { Store } from '../../src/store/store.ts'
import { createDeliverer } from '../../src/watches/deliverer.ts'
import { plainVault } from '../support/context.ts'

/** Sends what a database still has to send, until it is killed. */
const now = () => Date.now()
const store = Store.open(process.argv[2] ?? '', { now, mustExist: true })
const deliverer = createDeliverer({
  store,
  vault: plainVault,
  sender: createWebhookSender({ hosts: ['127.0.0.1'], timeoutMs: Number(process.argv[3] ?? 10_000) }),
  log: silentLog,
  now,
  signal: new AbortController().signal,
  lockdown: false,
  lockdownCodes: false,
})
setInterval(() => deliverer.send(() => true), 20)

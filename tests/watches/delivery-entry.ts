import { createWebhookSender } from '../../src/connectors/webhooks.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { Store } from '../../src/store/store.ts'
import { createDeliverer } from '../../src/watches/deliverer.ts'

/** Sends what a database still has to send, until it is killed. */
const now = () => Date.now()
const store = Store.open(process.argv[2] ?? '', { now, mustExist: true })
const vault = {
  seal: (place: string, plain: string) => JSON.stringify([place, plain]),
  open: (_place: string, sealed: string) => (JSON.parse(sealed) as [string, string])[1],
  fingerprintKey: () => new Uint8Array(32),
}
const deliverer = createDeliverer({
  store,
  vault,
  sender: createWebhookSender({ hosts: ['127.0.0.1'] }),
  log: silentLog,
  now,
  signal: new AbortController().signal,
  lockdown: false,
  lockdownCodes: false,
})
setInterval(() => deliverer.send(() => true), 20)

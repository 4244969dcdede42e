// One of several workers that take due runs from the same data folder, without a leader among them; somebody kills it.
import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog } from '../../src/kernel/log.ts'
import { driveOnce } from '../../src/scans/loop.ts'
import { createClaimTenant, paceOf } from './claims-tenant.ts'
import { openWorkbench } from './workbench.ts'

const [home = '', epoch = '0'] = process.argv.slice(2)
const tenant = createClaimTenant()
tenant.onPage = () => {
  process.stdout.write('page\n')
  return sleep(3)
}
tenant.onBody = () => sleep(1)
const bench = openWorkbench(tenant, { home })
Object.defineProperty(bench.clock, 'now', { get: paceOf(Number(epoch)) })
process.stdout.write('open\n')
for (;;) {
  driveOnce({
    store: bench.store,
    scans: bench.queue,
    log: silentLog,
    now: () => bench.clock.now,
    signal: new AbortController().signal,
  })
  await sleep(20)
}

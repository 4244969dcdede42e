// One of several workers that take due runs from the same data folder, without a leader among them; somebody kills it.
import { setTimeout as sleep } from 'node:timers/promises'
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

async function work(): Promise<void> {
  for (;;) {
    bench.turn()
    await sleep(20)
  }
}

void work()

import { setTimeout as sleep } from 'node:timers/promises'
import type { Scan } from '../../src/scans/model.ts'
import { createTenant, fakeConfig } from './fake-tenant.ts'
import { openWorkbench } from './workbench.ts'

/** Scans a tenant that never changes, slowly; started again, it goes on where the process before it was killed. */
const home = process.argv[2] ?? ''
const tenant = createTenant({ ENG: 40, OPS: 23, HR: 1 })
tenant.onPage = async (space, index) => {
  process.stdout.write(`page ${space} ${index}\n`)
  await sleep(4)
}
tenant.onBody = async () => sleep(1)

async function scan(): Promise<void> {
  const bench = openWorkbench(tenant, { home })
  const sources = await bench.run<{ total: number }>('list_sources')
  if (sources.total === 0) await bench.run('create_source', { name: 'fake', config: fakeConfig() })
  const { id } = await bench.run<Scan>('start_scan', { id: 'fake' })
  await bench.queue.settled(id)
  const { status, progress } = await bench.run<Scan>('get_scan', { id })
  process.stdout.write(`${JSON.stringify({ done: status, progress })}\n`)
  await bench.close()
}

void scan()

// Scans a tenant on a disk that takes no more, and goes on each time when it is told that there is more room.
import { hash } from 'node:crypto'
import type { Scan } from '../../src/scans/model.ts'
import { filesOf } from '../support/new-store.ts'
import { createTenant } from './fake-tenant.ts'
import { createFake, openWorkbench } from './workbench.ts'

const [home = ''] = process.argv.slice(2)
const tenant = createTenant({ ENG: 60, OPS: 30 })
for (const { pages } of tenant.spaces) for (const page of pages) page.body += ` ${'word:filler'.repeat(40)}`
const bench = openWorkbench(tenant, { home })

let tellRoom = () => {}
process.on('SIGUSR2', () => tellRoom())
const keepAlive = setInterval(() => {}, 1_000)
/** Prints a line, and waits until there is room. */
const untilRoom = (line: string) => {
  const made = new Promise<void>((resolve) => {
    tellRoom = resolve
  })
  process.stdout.write(`${line}\n`)
  return made
}

async function scan(): Promise<void> {
  await createFake(bench)
  await untilRoom('ready')
  let id = ''
  for (;;) {
    try {
      if (id === '') id = (await bench.run<Scan>('start_scan', { id: 'fake' })).id
      else {
        bench.clock.now += 60_000
        bench.turn()
      }
      await bench.queue.settled(id)
      const scan = await bench.run<Scan>('get_scan', { id })
      if (scan.status === 'COMPLETED') break
      const { integrity, foreignKeys } = filesOf(bench.store).examine()
      await untilRoom(`fault ${scan.status} ${scan.progress.findings.resolved} ${integrity} ${foreignKeys}`)
    } catch (error) {
      const reason = (error as { facts?: { reason?: string } }).facts?.reason ?? String(error)
      await untilRoom(`fault ${reason}`)
    }
  }
  const digest = hash('sha256', JSON.stringify(bench.snapshot()))
  process.stdout.write(`over ${digest} ${filesOf(bench.store).examine().integrity}\n`)
  await bench.close()
  clearInterval(keepAlive)
}

void scan()

import { createInterface } from 'node:readline'
import type { Scan } from '../../src/scans/model.ts'
import { openSectionedBench } from './sectioned.ts'

/** Waits for an order, then scans what is there; started again, it goes on where the process before it was killed. */
async function scan(): Promise<void> {
  process.stdout.write('ready\n')
  for await (const line of createInterface({ input: process.stdin })) {
    const { home, now } = JSON.parse(line) as { home: string; now: number }
    const bench = openSectionedBench(home)
    bench.clock.now = now
    const { id } = await bench.run<Scan>('start_scan', { id: 'fake' })
    await bench.queue.settled(id)
    const { status, warnings } = await bench.run<Scan>('get_scan', { id })
    await bench.close()
    process.stdout.write(`${JSON.stringify({ status, warnings: warnings.length })}\n`)
  }
}

void scan()

import type { Scan } from '../../src/scans/model.ts'
import { openSectionedBench } from './sectioned.ts'

/** Scans what is there; started again, it goes on where the process before it was killed. */
const bench = openSectionedBench(process.argv[2] ?? '')
const { id } = await bench.run<Scan>('start_scan', { id: 'fake' })
await bench.queue.settled(id)
const { status, warnings } = await bench.run<Scan>('get_scan', { id })
process.stdout.write(JSON.stringify({ status, warnings: warnings.length }))
await bench.close()

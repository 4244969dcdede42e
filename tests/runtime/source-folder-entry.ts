import type { SorterProtocol } from '../../src/imports/apply/sort.worker.ts'
import { openWorker } from '../../src/runtime/worker-rpc.ts'

const worker = openWorker<SorterProtocol>({ script: 'imports/apply/sort.worker', events: {} })

async function work(): Promise<void> {
  await worker.call('sort', [])
  await worker.stop(5_000)
  process.stdout.write('answered\n')
}

void work()

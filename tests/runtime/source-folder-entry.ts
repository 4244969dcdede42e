import type { ConverterProtocol, ConverterSettings } from '../../src/imports/stage/import.worker.ts'
import { openWorker } from '../../src/runtime/worker-rpc.ts'

const workerData: ConverterSettings = { fingerprintKey: new Uint8Array(32), masked: [], latest: undefined }
const worker = openWorker<ConverterProtocol>({
  script: 'imports/stage/import.worker',
  settings: { workerData },
  events: {},
})

async function work(): Promise<void> {
  await worker.call('convert', new Uint8Array())
  await worker.stop(5_000)
  process.stdout.write('answered\n')
}

void work()

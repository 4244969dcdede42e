import { workerData } from 'node:worker_threads'
import { importMaskedForms } from '../../kernel/redaction.ts'
import { serveCalls, Transferred } from '../../runtime/worker-rpc.ts'
import type { AssetMemory } from './asset-numbers.ts'
import { type Conversion, createConverter } from './import-convert.ts'
import type { Partition } from './staging.ts'

export interface ConverterSettings {
  fingerprintKey: Uint8Array
  /** See `listMasked`. */
  masked: readonly string[]
  latest: number | undefined
  /** See `Staging`. */
  memory: AssetMemory
  converter: number
}

/** A piece of a file to be converted. */
interface ImportPiece extends Partition {
  bytes: Uint8Array
}

export type ConverterProtocol = {
  calls: { convert: { input: ImportPiece; reply: Conversion } }
  notices: Record<never, never>
  events: Record<never, never>
}

const { fingerprintKey, masked, ...shared } = workerData as ConverterSettings
importMaskedForms(masked)
const convert = createConverter(fingerprintKey, shared)

serveCalls<ConverterProtocol>({
  calls: {
    convert: ({ bytes, ...partition }) => {
      const conversion = convert(bytes, partition)
      const buffers = 'blocks' in conversion ? conversion.blocks.map(({ data }) => data.buffer) : []
      return new Transferred(conversion, buffers)
    },
  },
})

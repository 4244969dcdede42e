import { workerData } from 'node:worker_threads'
import { importMaskedForms } from '../../kernel/redaction.ts'
import { serveCalls, Transferred } from '../../runtime/worker-rpc.ts'
import { type Conversion, createConverter, type KnownPartition } from './import-convert.ts'

export interface ConverterSettings {
  fingerprintKey: Uint8Array
  /** See `listMasked`. */
  masked: readonly string[]
  latest: number | undefined
  /** See `createConverter`. */
  converter: number
}

/** A piece of a file to be converted. */
interface ImportPiece extends KnownPartition {
  bytes: Uint8Array
}

export type ConverterProtocol = {
  calls: { convert: { input: ImportPiece; reply: Conversion } }
  notices: Record<never, never>
  events: Record<never, never>
}

const { fingerprintKey, masked, latest, converter } = workerData as ConverterSettings
importMaskedForms(masked)
const convert = createConverter(fingerprintKey, { latest, converter })

serveCalls<ConverterProtocol>({
  calls: {
    convert: ({ bytes, bounds, groups }) => {
      const conversion = convert(bytes, { bounds, groups })
      const buffers = 'blocks' in conversion ? conversion.blocks.map(({ data }) => data.buffer) : []
      return new Transferred(conversion, buffers)
    },
  },
})

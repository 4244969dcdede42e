import { workerData } from 'node:worker_threads'
import { importMaskedForms } from '../../kernel/redaction.ts'
import { serveCalls, Transferred } from '../../runtime/worker-rpc.ts'
import { type Conversion, createConverter } from './import-convert.ts'

export interface ConverterSettings {
  fingerprintKey: Uint8Array
  /** See `listMasked`. */
  masked: readonly string[]
  latest: number | undefined
}

/** A piece of a file to be converted. */
interface ImportPiece {
  bytes: Uint8Array
  /** See `partRows`. */
  bounds: readonly string[]
}

export type ConverterProtocol = {
  calls: { convert: { input: ImportPiece; reply: Conversion } }
  notices: Record<never, never>
  events: Record<never, never>
}

const { fingerprintKey, masked, latest } = workerData as ConverterSettings
importMaskedForms(masked)
const convert = createConverter(fingerprintKey, latest)

serveCalls<ConverterProtocol>({
  calls: {
    convert: ({ bytes, bounds }) => {
      const conversion = convert(bytes, bounds)
      const buffers = 'blocks' in conversion ? conversion.blocks.map(({ data }) => data.buffer) : []
      return new Transferred(conversion, buffers)
    },
  },
})

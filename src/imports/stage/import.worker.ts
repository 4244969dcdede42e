import { parentPort, workerData } from 'node:worker_threads'
import { importMaskedForms } from '../../kernel/redaction.ts'
import { type Conversion, createConverter } from './import-convert.ts'

export interface ConverterSettings {
  fingerprintKey: Uint8Array
  /** See `listMasked`. */
  masked: readonly string[]
  latest: number | undefined
}

/** A piece of a file to be converted; the results are posted in the order of the pieces. */
export interface ImportPiece {
  bytes: Uint8Array
  /** See `partRows`. */
  bounds: readonly string[]
}

const { fingerprintKey, masked, latest } = workerData as ConverterSettings
importMaskedForms(masked)
const convert = createConverter(fingerprintKey, latest)

parentPort?.on('message', ({ bytes, bounds }: ImportPiece) => {
  const conversion: Conversion = convert(bytes, bounds)
  const buffers = 'blocks' in conversion ? conversion.blocks.map(({ data }) => data.buffer) : []
  parentPort?.postMessage(conversion, buffers)
})

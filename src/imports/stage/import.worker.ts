import { workerData } from 'node:worker_threads'
import { importMaskedForms } from '../../kernel/redaction.ts'
import { serveCalls } from '../../runtime/worker-rpc.ts'
import { type Conversion, createConverter } from './convert.ts'

export interface ConverterSettings {
  fingerprintKey: Uint8Array
  /** See `listMasked`. */
  masked: readonly string[]
  latest: number | undefined
}

export type ConverterProtocol = {
  calls: { convert: { input: Uint8Array; reply: Conversion } }
  notices: Record<never, never>
  events: Record<never, never>
}

const { fingerprintKey, masked, latest } = workerData as ConverterSettings
importMaskedForms(masked)

serveCalls<ConverterProtocol>({ calls: { convert: createConverter(fingerprintKey, { latest }) } })

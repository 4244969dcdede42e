import { z } from 'zod'
import { detectorTypes } from '../detectors/detector.ts'
import type { FilterMapping } from '../findings/filter.ts'
import type { Reader } from '../store/store.ts'
import { listUnknownDetectors } from './terms.ts'

export const Warning = z.object({
  code: z.string().describe('Which warning it is.'),
  message: z.string().describe('What to know or do.'),
})
export type Warning = z.infer<typeof Warning>

export const Warnings = z.array(Warning).describe('What a caller should know; absent when there is nothing.')

/** A mapping may name detectors that only imported findings will have, so that an unknown one is no error. */
export function toTermWarnings(reader: Reader, ...mappings: readonly FilterMapping[]): { warnings?: Warning[] } {
  const unknown = new Set(mappings.flatMap((mapping) => listUnknownDetectors(reader, mapping, detectorTypes)))
  if (unknown.size === 0) return {}
  return {
    warnings: [...unknown].map((type) => ({
      code: 'unknown_detector',
      message: `No detector and no finding has the type ${type}; check its spelling unless findings of it are still to come.`,
    })),
  }
}

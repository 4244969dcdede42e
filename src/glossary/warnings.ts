import { z } from 'zod'
import { detectorTypes } from '../detectors/detector.ts'
import type { FilterMapping } from '../findings/filter.ts'
import { listUnknownSources } from '../findings/source-names.store.ts'
import { hintOf, warnOfUnseenValues } from '../findings/unseen-values.ts'
import { quote } from '../kernel/shown.ts'
import type { Reader } from '../store/store.ts'
import { listUnknownDetectors } from './terms.ts'

export const TermWarning = z.object({
  code: z.string().describe('Code of the warning.'),
  message: z.string().describe('What it means and what to do.'),
})
export type TermWarning = z.infer<typeof TermWarning>

export const Warnings = z.array(TermWarning).describe('Warnings; absent if there are none.')

/**
 * Warns about unknown detectors, sources and other values; they are no errors, because a mapping may name ones that will exist later.
 */
export function toTermWarnings(reader: Reader, ...mappings: readonly FilterMapping[]): { warnings?: TermWarning[] } {
  const unknown = new Set(mappings.flatMap((mapping) => listUnknownDetectors(reader, mapping, detectorTypes)))
  const sources = mappings.flatMap(({ sources = [], exclude }) => [...sources, ...(exclude?.sources ?? [])])
  const warnings = [
    ...[...unknown].map((type) => ({
      code: 'unknown_detector',
      message: `No detector and no finding has the type ${quote(type)}; check its spelling, unless such findings are expected later.`,
    })),
    ...toSourceWarnings(reader, sources),
    ...mappings.flatMap(({ exclude = {}, ...own }) =>
      warnOfUnseenValues(reader, { ...withoutExpected(own), exclude: withoutExpected(exclude) }),
    ),
  ]
  return warnings.length === 0 ? {} : { warnings }
}

/** Keys of which a value may exist before anything has it, or that are warned about by their own names. */
const withoutExpected = ({ detectorTypes, customDetectorKeys, ...others }: FilterMapping): FilterMapping => others

function toSourceWarnings(reader: Reader, names: readonly string[]): TermWarning[] {
  const { unknown, known } = listUnknownSources(reader, [...new Set(names)])
  return unknown.map((name) => ({
    code: 'unknown_value',
    message: `No source is called ${quote(name)}; ${hintOf(name, known)}`,
  }))
}

import { z } from 'zod'
import { detectorTypes } from '../detectors/detector.ts'
import type { FilterMapping } from '../findings/filter.ts'
import { readOwnWord } from '../findings/missing-value.ts'
import { type FreeKey, facetOfFreeKey, isFreeKey, isValueSeen, listValues } from '../findings/seen-words.store.ts'
import { listUnknownSources } from '../findings/source-names.store.ts'
import { quote, showNames } from '../kernel/shown.ts'
import { closest } from '../kernel/suggest.ts'
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
    ...mappings.flatMap((mapping) => toValueWarnings(reader, mapping)),
  ]
  return warnings.length === 0 ? {} : { warnings }
}

/** Keys of which a value may exist before anything has it, or that are warned about by their own names. */
const expected: ReadonlySet<string> = new Set(['detectorTypes', 'customDetectorKeys'])

function toValueWarnings(reader: Reader, { exclude = {}, ...own }: FilterMapping): TermWarning[] {
  const named = [...Object.entries(own), ...Object.entries(exclude)]
  return named.flatMap(([key, values]) => {
    if (!isFreeKey(key) || expected.has(key) || !Array.isArray(values)) return []
    const { possible } = facetOfFreeKey(key)
    return [...new Set(values.map(String))]
      .filter((value) => !possible.includes(value) && isUnseen(reader, key, value))
      .map((value) => ({
        code: 'unknown_value',
        message: `Nothing has ${key} ${quote(value)}; ${hintOf(value, listValues(reader, key))}`,
      }))
  })
}

function isUnseen(reader: Reader, key: FreeKey, value: string): boolean {
  const word = readOwnWord(value)
  return word !== null && !isValueSeen(reader, key, word)
}

/** What may be meant by a name that nothing has. */
function hintOf(name: string, known: readonly string[]): string {
  const near = closest(name, known, (each) => each, 3)
  return near.length === 0 ? 'check its spelling, unless it will be added later.' : `did you mean ${showNames(near)}?`
}

function toSourceWarnings(reader: Reader, names: readonly string[]): TermWarning[] {
  const { unknown, known } = listUnknownSources(reader, [...new Set(names)])
  return unknown.map((name) => ({
    code: 'unknown_value',
    message: `No source is called ${quote(name)}; ${hintOf(name, known)}`,
  }))
}

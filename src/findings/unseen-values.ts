import { z } from 'zod'
import { toSafeMessage } from '../detectors/safe-text.ts'
import { quote, showNames } from '../kernel/shown.ts'
import { closest } from '../kernel/suggest.ts'
import { warningText } from '../operation/lockdown/disclosure.ts'
import type { Reader } from '../store/store.ts'
import type { FilterMapping } from './filter.ts'
import { readOwnWord } from './missing-value.ts'
import { type FreeKey, facetOfFreeKey, isFreeKey, isValueSeen, listValues } from './seen-words.store.ts'

const UnseenValue = z.object({
  code: z.literal('unknown_value').describe('Code of the warning.'),
  message: warningText().describe('What it means and what to do.'),
})
export const UnseenValues = z.array(UnseenValue).describe('Values of the filter that nothing has; absent if none.')

/** Warnings about values of a filter that nothing has, with the closest that exist. */
export function warnOfUnseenValues(
  reader: Reader,
  { exclude = {}, ...own }: FilterMapping,
): z.infer<typeof UnseenValues> {
  return [...Object.entries(own), ...Object.entries(exclude)].flatMap(([key, values]) => {
    if (!isFreeKey(key) || !Array.isArray(values)) return []
    const { possible } = facetOfFreeKey(key)
    return [...new Set(values.map(String))]
      .filter((value) => !possible.includes(value) && isUnseen(reader, key, value))
      .map((value) => ({
        code: 'unknown_value' as const,
        message: toSafeMessage(`Nothing has ${key} ${quote(value)}; ${hintOf(value, listValues(reader, key))}`),
      }))
  })
}

/** The warnings as a member of an answer. */
export function toUnseenWarnings(reader: Reader, filter: FilterMapping): { warnings?: z.infer<typeof UnseenValues> } {
  const warnings = warnOfUnseenValues(reader, filter)
  return warnings.length === 0 ? {} : { warnings }
}

function isUnseen(reader: Reader, key: FreeKey, value: string): boolean {
  const word = readOwnWord(value)
  return word !== null && !isValueSeen(reader, key, word)
}

/** What may be meant by a name that nothing has. */
export function hintOf(name: string, known: readonly string[]): string {
  const near = closest(name, known, (each) => each, 3)
  return near.length === 0 ? 'check its spelling, unless it will be added later.' : `did you mean ${showNames(near)}?`
}

import type { z } from 'zod'
import { AppError } from '../../../kernel/errors.ts'
import { isObject } from '../../../kernel/json-object.ts'
import type { ReadLine, ReadRun } from '../runs.ts'
import { check } from './check.ts'
import { isPlaceholder, type ResultNumbers, RunFingerprints, toFingerprints, toKey } from './identity.ts'
import { RunLines } from './lines.ts'
import { SarifResult, type SarifRun } from './model.ts'

/** Maximum characters of the results of one run: they are held until the run, with its tool and time, has been read. */
const MAX_HELD = 64 * 1024 * 1024

/** What a tool says of a result that SARIF has no place for. */
export type MoreOfResult = Pick<ReadLine, 'status' | 'secrets'>

/** A result that waits for its run, as JSON. */
interface HeldResult {
  line: number
  text: string
  fingerprints: readonly string[]
  more: MoreOfResult | undefined
}

const toResult = ({ text }: HeldResult) => JSON.parse(text) as SarifResult

/** The results of a run, reduced to the members that are used. */
export class HeldResults {
  readonly #held: HeldResult[] = []
  readonly #fingerprints = new RunFingerprints()
  #length = 0

  /** @throws AppError `invalid_input` for what is no result, `too_large` */
  add(value: unknown, place: string, line: number, more?: MoreOfResult): void {
    const result = checkResult(value, place)
    const fingerprints = toFingerprints(result)
    this.#fingerprints.count(fingerprints)
    const text = JSON.stringify(result)
    this.#length += text.length
    if (this.#length > MAX_HELD)
      throw new AppError('too_large', 'A run in the file has too many results; split it into several runs.')
    this.#held.push({ line, text, fingerprints, more })
  }

  toRun(run: SarifRun, place: string, context: { numbers: ResultNumbers; now: number }): ReadRun {
    const fingerprints = this.#fingerprints
    const now = new Date(context.now).toISOString()
    const lines = new RunLines(run, place, { fingerprints, numbers: context.numbers, now })
    for (const held of this.#held) {
      if (fingerprints.isShared(held.fingerprints)) fingerprints.compare(toResult(held), held.fingerprints)
    }
    return {
      ...lines.toRun(),
      lines: this.#held
        .values()
        .map((held) => ({ line: held.line, ...lines.toLine(toResult(held), held.fingerprints), ...held.more })),
    }
  }
}

function checkResult(value: unknown, place: string): SarifResult {
  const result = checkLoosely(SarifResult, value, place)
  const [location, ...others] = result.locations ?? []
  if (others.length > 0) result.locations = [location as NonNullable<typeof location>]
  const region = location?.physicalLocation?.region
  const snippet = region?.snippet?.text
  // Only compared, and often longer than all else.
  if (region !== undefined)
    region.snippet = snippet === undefined || isPlaceholder(snippet) ? undefined : { text: toKey(snippet) }
  return result
}

/** As `check`; what is null, or has an unexpected type in a place that is not used, is as if it were absent. */
export function checkLoosely<T>(schema: z.ZodType<T>, value: unknown, place: string): T {
  const { data } = schema.safeParse(value)
  return data ?? check(schema, toUsed(value), place)
}

/** Lists of which only the first item is used. */
const firstOnly = new Set(['locations', 'logicalLocations'])
/** Some tools write an empty list for an object without members. */
const objects = new Set(['fingerprints', 'partialFingerprints', 'properties', 'originalUriBaseIds'])

function toUsed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toUsed)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => member !== null && (isObject(member) || !objects.has(name)))
      .map(([name, member]) => [
        name,
        toUsed(firstOnly.has(name) && Array.isArray(member) ? member.slice(0, 1) : member),
      ]),
  )
}

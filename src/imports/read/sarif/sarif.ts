import { z } from 'zod'
import { AppError } from '../../../kernel/errors.ts'
import { isObject } from '../../../kernel/json-object.ts'
import { parseOutsideJson } from '../../../kernel/well-formed.ts'
import { decodeTexts } from '../decode.ts'
import { type JsonPart, JsonPartsError, splitJson } from '../json-parts.ts'
import type { ReadRun } from '../runs.ts'
import { badFile, check, itemAt, memberOf } from './check.ts'
import { isPlaceholder, ResultNumbers, RunFingerprints, toFingerprints, toKey } from './identity.ts'
import { RunLines } from './lines.ts'
import { findsNothing, SarifResult, SarifRun } from './model.ts'

/** Maximum characters of the results of one run: they are held until the run, with its tool and time, has been read. */
const MAX_HELD = 64 * 1024 * 1024

const Log = z.object({ version: z.literal('2.1.0', 'must be 2.1.0.'), runs: z.array(z.unknown()) })

/** A result that waits for its run, as JSON. */
interface HeldResult {
  line: number
  text: string
  fingerprints: readonly string[]
}

const toResult = ({ text }: HeldResult) => JSON.parse(text) as SarifResult

/**
 * Reads the results of a SARIF 2.1.0 log as lines of an import; `line` counts results. The tool is the detector, the
 * rule the finding type, the file the asset. Results without a date get `now`, and keep that date in later imports. The
 * log is read in parts: only the results of one run, reduced to the members that are used, are in memory.
 */
export async function* readSarif(stream: AsyncIterable<Uint8Array | string>, now: number): AsyncGenerator<ReadRun> {
  const numbers = new ResultNumbers()
  let held: HeldResult[] = []
  let fingerprints = new RunFingerprints()
  let heldLength = 0
  let [line, runs, results] = [0, 0, 0]
  for await (const { level, text } of readParts(stream)) {
    const value = parse(text)
    if (level === 0) check(Log, value, '')
    else if (level === 2) {
      const place = `runs.${runs}.results.${results++}`
      line++
      if (isObject(value) && findsNothing(value)) continue
      const result = checkResult(value, place)
      const given = toFingerprints(result)
      fingerprints.count(given)
      const kept = JSON.stringify(result)
      heldLength += kept.length
      if (heldLength > MAX_HELD)
        throw tooLarge('A run of the SARIF log has too many results; split it into several runs.')
      held.push({ line, text: kept, fingerprints: given })
    } else {
      const run = checkLoosely(SarifRun, value, `runs.${runs}`)
      requireOwnResults(value)
      const lines = new RunLines(run, `runs.${runs}`, { fingerprints, numbers, now: new Date(now).toISOString() })
      for (const kept of held) {
        if (fingerprints.isShared(kept.fingerprints)) fingerprints.compare(toResult(kept), kept.fingerprints)
      }
      yield {
        ...lines.toRun(),
        lines: held.values().map((kept) => ({ line: kept.line, ...lines.toLine(toResult(kept), kept.fingerprints) })),
      }
      held = []
      fingerprints = new RunFingerprints()
      heldLength = 0
      results = 0
      runs++
    }
  }
}

const tooLarge = (message: string) => new AppError('too_large', message)
const noJson = 'the file is not JSON; give a SARIF 2.1.0 log.'

async function* readParts(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<JsonPart> {
  try {
    yield* splitJson(decodeTexts(stream), ['runs', 'results'])
  } catch (error) {
    if (!(error instanceof JsonPartsError)) throw error
    if (error.reason === 'malformed') throw badFile(noJson)
    if (error.reason === 'too_deep') throw badFile('its values are nested too deeply; give a SARIF 2.1.0 log.')
    throw tooLarge('A value in the SARIF log is too long; remove embedded content.')
  }
}

function parse(text: string): unknown {
  try {
    return parseOutsideJson(text)
  } catch {
    throw badFile(noJson)
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
function checkLoosely<T>(schema: z.ZodType<T>, value: unknown, place: string): T {
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

/** @throws AppError `invalid_input` for a run whose results are in other files */
function requireOwnResults(run: unknown): void {
  if (itemAt(memberOf(memberOf(run, 'externalPropertyFileReferences'), 'results'), 0) === undefined) return
  throw badFile('a run of the SARIF log has its results in other files; give a log that contains them.')
}

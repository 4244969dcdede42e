import { z } from 'zod'
import { AppError } from '../../../kernel/errors.ts'
import { isObject } from '../../../kernel/json-object.ts'
import { parseOutsideJson } from '../../../kernel/well-formed.ts'
import { decodeTexts } from '../decode.ts'
import { type JsonPart, JsonPartsError, splitJson } from '../json-parts.ts'
import type { ReadRun } from '../runs.ts'
import { badFile, check, itemAt, memberOf } from './check.ts'
import { checkLoosely, HeldResults } from './held.ts'
import { ResultNumbers } from './identity.ts'
import { findsNothing, SarifRun } from './model.ts'

const Log = z.object({ version: z.literal('2.1.0', 'must be 2.1.0.'), runs: z.array(z.unknown()) })

/**
 * Reads the results of a SARIF 2.1.0 log as lines of an import; `line` counts results. The tool is the detector, the
 * rule the finding type, the file the asset. Results without a date get `now`, and keep that date in later imports. The
 * log is read in parts: only the results of one run, reduced to the members that are used, are in memory.
 */
export async function* readSarif(stream: AsyncIterable<Uint8Array | string>, now: number): AsyncGenerator<ReadRun> {
  const numbers = new ResultNumbers()
  let held = new HeldResults()
  let [line, runs, results] = [0, 0, 0]
  for await (const { level, text } of readParts(stream)) {
    const value = parse(text)
    if (level === 0) check(Log, value, '')
    else if (level === 2) {
      const place = `runs.${runs}.results.${results++}`
      line++
      if (!isObject(value) || !findsNothing(value)) held.add(value, place, line)
    } else {
      const run = checkLoosely(SarifRun, value, `runs.${runs}`)
      requireOwnResults(value)
      yield held.toRun(run, `runs.${runs}`, { numbers, now })
      held = new HeldResults()
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

/** @throws AppError `invalid_input` for a run whose results are in other files */
function requireOwnResults(run: unknown): void {
  if (itemAt(memberOf(memberOf(run, 'externalPropertyFileReferences'), 'results'), 0) === undefined) return
  throw badFile('a run of the SARIF log has its results in other files; give a log that contains them.')
}

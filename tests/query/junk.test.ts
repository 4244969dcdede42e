import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AppError, errorCodes } from '../../src/kernel/errors.ts'
import { call } from '../../src/operation/operation.ts'
import { queryOperations } from '../../src/query/operations.ts'
import { anyText } from '../support/any-text.ts'
import { openContext } from '../support/context.ts'
import { isLong } from '../support/long.ts'
import { at } from './ask.ts'
import { plant } from './estate.ts'

const words = fc.oneof(
  fc.constantFrom('total-findings', 'pii-exposure', 'severity', 'day', 'OPEN', 'previous_period', '2026-03-10', 'Wiki'),
  fc.constantFrom(
    '',
    "'; DROP TABLE finding; --",
    '%',
    '"',
    '*',
    '\u0000',
    '__proto__',
    'constructor',
    '9'.repeat(400),
  ),
  anyText({ maxLength: 30 }),
)
const value = fc.oneof(
  words,
  fc.array(words, { maxLength: 4 }),
  fc.jsonValue(),
  fc.dictionary(
    fc.constantFrom('severities', 'sources', 'containers', 'exclude', 'minConfidence', 'from', 'to'),
    fc.jsonValue(),
  ),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, -1, 0, 1.5, 1e300, true, null),
)

test.each(queryOperations.map((operation) => [operation.name, operation] as const))(
  'any junk input of %s is answered with a result or a known error, and writes nothing',
  async (_, operation) => {
    const context = openContext()
    plant(context.store, { findings: [{ asset: 'page', firstDetectedAt: at('2026-03-10T00:00Z') }] })
    const keys = Object.keys(operation.input.toJSONSchema().properties as object)
    const junk = fc.dictionary(fc.constantFrom(...keys, 'metric', 'severity', '__proto__'), value, { maxKeys: 6 })
    const sure = fc.record({ metricSlug: words, glossaryTermSlug: words }, { requiredKeys: [] })
    const state = () =>
      context.store.read((reader) =>
        ['metric', 'term', 'audit', 'finding', 'word'].map((table) =>
          reader.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
        ),
      )
    const before = state()
    await fc.assert(
      fc.asyncProperty(fc.oneof(junk, fc.jsonValue()), sure, async (input, names) => {
        const given =
          typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...names, ...input } : input
        try {
          await call(operation, given, context)
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          expect(errorCodes.filter((code) => code !== 'internal')).toContain(error.code)
          expect(error.message.length).toBeLessThan(2_000)
          expect(error.message).not.toMatch(/SELECT|sqlite|\.ts:/i)
        }
      }),
      { numRuns: isLong ? 150 : 60 },
    )
    expect(state()).toEqual(before)
  },
)

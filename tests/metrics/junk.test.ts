import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dashboardOperations } from '../../src/dashboards/operations.ts'
import { glossaryOperations } from '../../src/glossary/operations.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { metricOperations } from '../../src/metrics/operations.ts'
import { call } from '../../src/operation/operation.ts'
import { openContext } from '../support/context.ts'
import { isLong } from '../support/long.ts'

const operations = [...glossaryOperations, ...metricOperations, ...dashboardOperations]

const count = { aggregation: 'COUNT', entity: 'finding', filters: { severities: ['LOW'] } }
const inputs: object[] = [
  { slug: 'x', displayName: 'X', filterMapping: { detectorTypes: ['PII'], exclude: { statuses: ['OPEN'] } } },
  { slug: 'x', displayName: 'X', type: 'SIMPLE', definition: count, allowedDimensions: ['severity'] },
  { slug: 'x', displayName: 'X', type: 'RATIO', definition: { numerator: count, denominator: { metricSlug: 'a' } } },
  { slug: 'x', displayName: 'X', type: 'DERIVED', definition: { formula: 'open_findings', inputs: ['open-findings'] } },
  { slug: 'x', type: 'TREND', definition: { baseMetricSlug: 'a', currentWindow: '7d', compareWindow: '7d' } },
  { slug: 'open-findings', certifiedBy: 'A', replacedBy: 'new-findings', reason: 'r', detach: true },
  { dashboard: 'discovery', slug: 'open-findings', pinnedFilters: { severities: ['LOW'] }, position: 1 },
  { search: 'open', category: 'PRIORITY', type: 'SIMPLE', limit: 1, offset: 0, cursor: '5', includeInactive: true },
]

/** A valid input with one of its members, at any depth, put out of joint. */
const spoiled = fc
  .tuple(fc.constantFrom(...inputs), fc.array(fc.nat(5), { maxLength: 3 }), fc.anything())
  .map(([input, path, junk]) => {
    const copy: Record<string, unknown> = structuredClone(input as Record<string, unknown>)
    let node: Record<string, unknown> = copy
    for (const step of path) {
      const keys = Object.keys(node)
      const next = node[keys[step % keys.length] ?? '']
      if (typeof next !== 'object' || next === null || keys.length === 0) break
      node = next as Record<string, unknown>
    }
    const keys = Object.keys(node)
    node[keys[(path[0] ?? 0) % Math.max(1, keys.length)] ?? 'junk'] = junk
    return copy
  })

test('junk input is answered with a result or an AppError, and a refused change writes nothing', async () => {
  const context = openContext()
  const trail = () => context.read((reader) => reader.prepare('SELECT count(*) AS n FROM audit').get())
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...operations), fc.oneof(spoiled, fc.anything()), async (operation, input) => {
      const before = trail()
      try {
        await call(operation, input, context)
      } catch (error) {
        expect(error).toBeInstanceOf(AppError)
        expect((error as AppError).code).toMatch(/^(invalid_input|not_found|conflict)$/)
        expect((error as AppError).message).not.toMatch(/SELECT|sqlite|\/src\//i)
        expect(trail()).toEqual(before)
      }
    }),
    { numRuns: isLong ? 1500 : 500 },
  )
}, 180_000)

import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Finding } from '../../../src/findings/model.ts'
import { findingOperations } from '../../../src/findings/operations.ts'
import { createTenant } from '../../scans/fake-tenant.ts'
import { openWorkbench, type Workbench } from '../../scans/workbench.ts'
import { isLong } from '../../support/long.ts'
import { dumpTables, importText, listFindings } from '../importing.ts'
import { shift } from './builders.ts'
import { cases } from './cases.ts'
import { countRead, type Summary, summarize } from './reader.ts'

let bench: Workbench

beforeEach(() => {
  bench = openWorkbench(createTenant({ ENG: 1 }), { extra: findingOperations })
})
afterEach(() => bench.close())

const bring = (log: unknown) => importText(bench, JSON.stringify(log), 'scanner', 'sarif')

const summarizeFindings = (findings: readonly Finding[]): Summary =>
  countRead(
    findings.map(({ findingType: rule, severity, status, asset: { key }, location }) => ({
      ...{ rule, severity, status, key },
      line: location?.line,
    })),
  )

describe('a SARIF log', () => {
  it.each(cases)(
    'has the counts that the standard gives it, also again and shifted: $name',
    async ({ log, findings }) => {
      const expected = summarize(log)
      expect(expected.findings).toBe(findings)
      expect(await bring(log)).toMatchObject({ findings: { new: findings } })
      expect(summarizeFindings(await listFindings(bench))).toEqual(expected)

      const before = dumpTables(bench)
      expect(await bring(log)).toMatchObject({ findings: { new: 0, resolved: 0 } })
      expect(dumpTables(bench)).toEqual(before)

      const shifted = shift(log, 3)
      expect(await bring(shifted)).toMatchObject({ findings: { new: 0, resolved: 0 } })
      expect(summarizeFindings(await listFindings(bench))).toEqual(summarize(shifted))
    },
  )

  it('is tried in at least 40 forms', () => {
    expect(new Set(cases.map(({ name }) => name)).size).toBeGreaterThanOrEqual(40)
  })

  it('of random results has as many findings as distinct results, also again and shifted', async () => {
    const value = fc.constantFrom('requires login', '', 'aa', 'bb', { a: 1 })
    const result = fc.record(
      {
        ruleId: fc.constantFrom('R1', 'R1/sub', 'R2', 'R3'),
        level: fc.constantFrom('error', 'note', 'none'),
        message: fc.record({ text: fc.constantFrom('one', 'two') }),
        fingerprints: fc.record({ id: value }, { requiredKeys: [] }),
        partialFingerprints: fc.record({ hash: value, other: value }, { requiredKeys: [] }),
        line: fc.integer({ min: 1, max: 4 }),
        snippet: fc.constantFrom(undefined, 'x()', 'y()'),
        uri: fc.constantFrom('a.ts', 'b.ts'),
      },
      { requiredKeys: ['ruleId', 'message', 'line', 'uri'] },
    )
    const run = fc.array(result, { maxLength: 14 })
    let turn = 0
    await fc.assert(
      fc.asyncProperty(run, async (results) => {
        const source = `random ${turn++}`
        const log = {
          version: '2.1.0',
          runs: [
            {
              tool: { driver: { name: 'Tern', rules: [{ id: 'R1', defaultConfiguration: { level: 'error' } }] } },
              results: results.map(({ line, snippet, uri, ...more }) => ({
                ...more,
                locations: [
                  {
                    physicalLocation: {
                      artifactLocation: { uri },
                      region: { startLine: line, ...(snippet === undefined ? {} : { snippet: { text: snippet } }) },
                    },
                  },
                ],
              })),
            },
          ],
        }
        const bringThis = (each: unknown) => importText(bench, JSON.stringify(each), source, 'sarif')
        const first = await bringThis(log)
        // Fingerprints may tell results apart that are otherwise the same.
        const least = summarize(log).findings
        const most = new Set(log.runs[0]?.results.map((each) => JSON.stringify({ ...each, level: '' }))).size
        expect(first.findings.new).toBeGreaterThanOrEqual(least)
        expect(first.findings.new).toBeLessThanOrEqual(most)
        expect(await bringThis(log)).toMatchObject({ findings: { new: 0, resolved: 0 } })
        expect(await bringThis(shift(log, 3))).toMatchObject({ findings: { new: 0, resolved: 0 } })
      }),
      { numRuns: isLong ? 400 : 40 },
    )
  })
})

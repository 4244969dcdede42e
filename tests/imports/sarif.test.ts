import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findingOperations } from '../../src/findings/operations.ts'
import { importFindings } from '../../src/imports/imports.ts'
import { recognizeFormat } from '../../src/imports/read/recognize.ts'
import { createTenant } from '../scans/fake-tenant.ts'
import { openWorkbench, type Workbench } from '../scans/workbench.ts'
import { dumpTables, importText, listFindings } from './importing.ts'

let bench: Workbench

beforeEach(() => {
  bench = openWorkbench(createTenant({ ENG: 2 }), { extra: findingOperations })
})
afterEach(() => bench.close())

const list = () => listFindings(bench)
const dump = () => dumpTables(bench)

describe('a SARIF log', () => {
  const log = (results: unknown[], invocations: unknown[] = [{ endTimeUtc: '2025-08-01T00:00:00Z' }]) => ({
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Sem-Grep Pro',
            rules: [{ id: 'sqli', properties: { 'security-severity': '9.1' } }, { id: 'style' }],
          },
        },
        invocations,
        results,
      },
    ],
  })
  const result = (more: Record<string, unknown> = {}) => ({
    ruleId: 'sqli',
    level: 'error',
    message: { text: 'Query is built from input' },
    locations: [{ physicalLocation: { artifactLocation: { uri: 'src/db.ts' }, region: { startLine: 12 } } }],
    ...more,
  })
  const bringLog = (value: unknown) => importText(bench, JSON.stringify(value), 'sarif', 'sarif')

  it('is imported as findings', async () => {
    await bringLog(log([result(), result({ ruleId: 'style', level: 'note' }), result({ kind: 'pass' })]))
    expect(
      (await list()).map(({ findingType, severity, detectorType, asset }) => [
        findingType,
        severity,
        detectorType,
        asset.key,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ['sqli', 'CRITICAL', 'SEM_GREP_PRO', 'src/db.ts'],
        ['style', 'LOW', 'SEM_GREP_PRO', 'src/db.ts'],
      ]),
    )
    expect(await list()).toHaveLength(2)
  })

  it('may begin with a byte order mark', async () => {
    const text = `\ufeff${JSON.stringify(log([result()]))}`
    await importText(bench, text, 'bytes', 'sarif')
    await importFindings(Readable.from([text]), { source: 'text', format: 'sarif' }, bench.context)
    expect((await list()).map(({ findingType }) => findingType)).toEqual(['sqli', 'sqli'])
    const recognized = await recognizeFormat(Readable.from([Buffer.from(text)]))
    expect(recognized.format).toBe('sarif')
  })

  it('changes nothing when it is imported again, even without times', async () => {
    const undated = log([result(), result({ ruleId: 'style', baselineState: 'absent' })], [])
    await bringLog(undated)
    const before = dump()
    bench.clock.now += 1000
    await bringLog(undated)
    expect(dump()).toEqual(before)
  })

  it('may have its results before their tool, and its version last', async () => {
    const { runs, version } = log([result(), result({ ruleId: 'style', message: { text: '"runs": [{"results": [' } })])
    const [{ results, tool, invocations } = expect.fail('there is no run')] = runs
    await bringLog({
      runs: [
        { results, tool, invocations },
        { results: [], tool },
      ],
      version,
    })
    const items = await list()
    expect(items.map(({ detectorType }) => detectorType)).toEqual(['SEM_GREP_PRO', 'SEM_GREP_PRO'])
    expect(items.map(({ severity }) => severity).sort()).toEqual(['CRITICAL', 'HIGH'])
  })

  it('names the invalid result, and stores nothing', async () => {
    const wrong = bringLog(log([result(), result({ ruleId: 7 })]))
    await expect(wrong).rejects.toMatchObject({ facts: { issues: [{ path: 'runs.0.results.1.ruleId' }] } })
    await expect(bench.run('get_source', { id: 'sarif' })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('imports suppressions and baseline states', async () => {
    await bringLog(
      log([result({ suppressions: [{ status: 'accepted' }] }), result({ ruleId: 'style', baselineState: 'absent' })]),
    )
    expect((await list()).map(({ status }) => status).sort()).toEqual(['IGNORED', 'RESOLVED'])
  })

  it.each([
    ['no JSON', '{'],
    ['cut off', '{"version":"2.1.0","runs":[{"results":[{}'],
    ['a list', '[]'],
    ['another version', '{"version":"1.0","runs":[]}'],
  ])('is refused when it is %s', async (_name, text) => {
    await expect(importText(bench, text, 's', 'sarif')).rejects.toMatchObject({
      code: 'invalid_input',
      facts: { reason: 'bad_file' },
    })
  })
})

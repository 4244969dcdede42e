import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findingOperations } from '../../../src/findings/operations.ts'
import { importFindings } from '../../../src/imports/imports.ts'
import { recognizeFormat } from '../../../src/imports/read/recognize.ts'
import { createTenant } from '../../scans/fake-tenant.ts'
import { openWorkbench, type Workbench } from '../../scans/workbench.ts'
import { dumpTables, importText, listFindings } from '../importing.ts'

let bench: Workbench

beforeEach(() => {
  bench = openWorkbench(createTenant({ ENG: 2 }), { extra: findingOperations })
})
afterEach(() => bench.close())

const list = () => listFindings(bench)
const isEmpty = () =>
  bench.store.read((reader) =>
    ['finding', 'asset', 'import_file', 'import_finding'].every(
      (table) => reader.prepare(`SELECT count(*) FROM ${table}`).pluck().get() === 0,
    ),
  )
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
    ['empty', ''],
    ['given twice', JSON.stringify(log([result()])).repeat(2)],
    ['nested deeply', `{"version":"2.1.0","runs":[{"results":[{"a":${'['.repeat(100_000)}`],
    ['of an unknown level', JSON.stringify(log([result(), result({ level: 'critical' })]))],
    ['of an unknown kind', JSON.stringify(log([result(), result({ kind: 'bad' })]))],
    [
      'without its own results',
      '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"externalPropertyFileReferences":{"results":[{}]}}]}',
    ],
  ])('is refused when it is %s', async (_name, text) => {
    await expect(importText(bench, text, 's', 'sarif')).rejects.toMatchObject({
      code: 'invalid_input',
      facts: { reason: 'bad_file' },
      message: expect.stringMatching(/^Nothing was imported: [^.]+(?:2\.1\.0[^.]*)?\.$/),
    })
    expect(isEmpty()).toBe(true)
  })

  it('is refused when a rule that it uses has an unknown level, and imported when no result uses that', async () => {
    const tool = { driver: { name: 'x', rules: [{ id: 'a' }, { id: 'b', defaultConfiguration: { level: 'fatal' } }] } }
    const of = (ruleId: string) => ({ version: '2.1.0', runs: [{ tool, results: [{ ruleId }] }] })
    await expect(bringLog(of('b'))).rejects.toMatchObject({
      facts: { issues: [{ path: 'runs.0.tool.driver.rules.1.defaultConfiguration.level' }] },
    })
    expect(await bringLog(of('a'))).toMatchObject({ findings: { new: 1 } })
  })

  it('is refused when a value in it has 100 MB', async () => {
    const part = Buffer.from('x'.repeat(1024 * 1024))
    const [before, after] = JSON.stringify(log([result({ message: { text: '@' } })])).split('@') as [string, string]
    const chunks = [Buffer.from(before), ...Array.from({ length: 100 }, () => part), Buffer.from(after)]
    const bringing = importFindings(Readable.from(chunks), { source: 'big', format: 'sarif' }, bench.context)
    await expect(bringing).rejects.toMatchObject({ code: 'too_large' })
    expect(isEmpty()).toBe(true)
  })

  it.each(['utf8', 'utf16le', 'utf16be', 'utf32le', 'utf32be'])(
    'is read in %s with a byte order mark',
    async (name) => {
      const text = `\ufeff${JSON.stringify(log([result({ message: { text: 'größer 𝒳' } })]))}`
      const bytes = encode(text, name)
      for (const size of [1, 5, bytes.length]) {
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        )
        const { format, stream } = await recognizeFormat(Readable.from(chunks))
        expect(format).toBe('sarif')
        await importFindings(stream, { source: `of ${size}`, format }, bench.context)
      }
      expect((await list()).map(({ excerpt }) => excerpt)).toEqual(Array(3).fill('größer 𝒳'))
      const cut = importFindings(
        Readable.from([bytes.subarray(0, -1)]),
        { source: 'cut', format: 'sarif' },
        bench.context,
      )
      await expect(cut).rejects.toMatchObject({ code: 'invalid_input', facts: { reason: 'bad_file' } })
    },
  )

  it('keeps the message in full, the decoded name, the line and the address', async () => {
    await bringLog({
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'x', rules: [{ id: 'sqli', messageStrings: { m: { text: '{0} of {{1}} {9}' } } }] } },
          originalUriBaseIds: { WEB: { uri: 'https://shop.example/app/' } },
          results: [
            {
              ruleId: 'sqli',
              message: { id: 'm', arguments: ['one'] },
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: 'a%20b%E2%82%AC%zz.ts', uriBaseId: 'WEB' },
                    region: { startLine: 7, startColumn: 3 },
                  },
                },
              ],
            },
          ],
        },
      ],
    })
    expect(await list()).toMatchObject([
      {
        excerpt: 'one of {1} {9}',
        location: { line: 7, column: 3 },
        asset: {
          key: 'a%20b%E2%82%AC%zz.ts',
          name: 'a b€%zz.ts',
          url: 'https://shop.example/app/a%20b%E2%82%AC%zz.ts',
        },
      },
    ])
  })
})

function encode(text: string, name: string): Buffer {
  const swapped = (bytes: Buffer, size: 16 | 32) => (size === 16 ? bytes.swap16() : bytes.swap32())
  if (name === 'utf8') return Buffer.from(text)
  if (name.startsWith('utf16')) {
    const bytes = Buffer.from(text, 'utf16le')
    return name.endsWith('be') ? swapped(bytes, 16) : bytes
  }
  const bytes = Buffer.from(Uint32Array.from(text, (character) => character.codePointAt(0) ?? 0).buffer)
  return name.endsWith('be') ? swapped(bytes, 32) : bytes
}

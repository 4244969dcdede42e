import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findingOperations } from '../../src/findings/operations.ts'
import { importFindings } from '../../src/imports/imports.ts'
import { recognizeFormat } from '../../src/imports/read/recognize.ts'
import type { ImportRequest } from '../../src/imports/request.ts'
import { createRandom } from '../../src/sample/ids.ts'
import { createTenant } from '../scans/fake-tenant.ts'
import { openWorkbench, type Workbench } from '../scans/workbench.ts'
import { errorOf } from '../support/context.ts'
import { cases } from '../support/long.ts'
import { contentOf } from '../support/new-store.ts'
import { dumpTables, listFindings, streamOf } from './importing.ts'
import { makeLeaks, toSarif, writers } from './tool-files.ts'

let bench: Workbench

beforeEach(() => {
  bench = openWorkbench(createTenant({ ENG: 2 }), { extra: findingOperations })
})
afterEach(() => bench.close())

const FILES = cases(3, 20)
const take = (text: string, more: Partial<ImportRequest> = {}) =>
  importFindings(streamOf(text, 5), { source: 'scanner', ...more }, bench.context)
const recognized = async (text: string) => (await recognizeFormat(streamOf(text))).format
const nothing = () => bench.store.read((reader) => reader.prepare('SELECT count(*) FROM finding').pluck().get())

/** A refusal is one sentence that names the line, and leaves nothing behind. */
async function refusal(text: string, more: Partial<ImportRequest> = {}): Promise<string> {
  const error = await errorOf(take(text, more))
  expect(error).toMatchObject({ code: 'invalid_input' })
  expect(error.message).toMatch(/^Nothing was imported: [^\n]+\.( \(and \d+ more problems in it, see issues\))?$/)
  expect(nothing()).toBe(0)
  return error.message
}

describe.each(writers)('$format $version', ({ format, version, write, expect: expected }) => {
  it('has the findings of its files, and hides the secrets', async () => {
    for (let seed = 1; seed <= FILES; seed++) {
      const random = createRandom(seed)
      const leaks = makeLeaks(random, 1 + Math.floor(random() * 30))
      const text = write(leaks, random)
      expect(await recognized(text)).toBe(format)
      const source = `scanner ${seed}`
      expect(await take(text, { source })).toMatchObject({ lines: leaks.length, findings: { new: leaks.length } })
      const before = dumpTables(bench)
      expect((await take(text, { source })).findings).toEqual({ new: 0, again: leaks.length, resolved: 0 })
      expect(dumpTables(bench)).toEqual(before)
      const found = (await listFindings(bench)).filter((each) => each.source === source)
      const seen = found.map(({ asset, detectorType, findingType, severity, status }) => [
        ...[asset.name, detectorType, findingType, severity, status],
      ])
      const wanted = leaks
        .map(expected)
        .map((leak) => [...[leak.asset, leak.detectorType, leak.findingType, leak.severity, leak.status]])
      expect(seen.sort()).toEqual(wanted.sort())
      const content = contentOf(bench.store)
      for (const { secret } of leaks) expect(content).not.toContain(secret)
    }
  })

  it('is refused where a member has another type, with the line', async () => {
    const random = createRandom(7)
    const leaks = makeLeaks(random, 3)
    const text = write(leaks, random)
    const broken = text.replaceAll(/"(RuleID|rule|DetectorName|reason|check_id|type)":(\s*)"[^"]*"/g, '"$1":$21')
    expect(broken).not.toBe(text)
    expect(await refusal(broken)).toMatch(/line \d+ is not .*finding [12], \S+ must be of type string/)
    expect(await refusal(text.slice(0, -20))).toMatch(/line \d+/)
    expect(version).toMatch(/\d/)
  })
})

it.each(Object.entries(toSarif))('%s has the same findings as SARIF and as its own JSON', async (format, sarif) => {
  for (let seed = 1; seed <= FILES; seed++) {
    const random = createRandom(seed)
    const leaks = makeLeaks(random, 20)
    const own = writers.find((writer) => writer.format === format)?.write(leaks, random) ?? ''
    const source = `both ${seed}`
    await take(sarif(leaks), { source })
    const before = dumpTables(bench)
    expect((await take(own, { source })).findings).toEqual({ new: 0, again: leaks.length, resolved: 0 })
    expect(dumpTables(bench)).toEqual(before)
  }
})

it('a secret in the name of its file is hidden there, too', async () => {
  const secret = 'q7WzX2mPfT9rLk4Jd8Hs'
  const leak = { RuleID: 'key', File: `keys/${secret}.pem`, Secret: secret, Match: `x=${secret}`, Commit: '', Date: '' }
  await take(JSON.stringify([leak]))
  expect(await listFindings(bench)).toHaveLength(1)
  expect(contentOf(bench.store)).not.toContain(secret)
})

it('a baseline has its date, and a complete one resolves what it no longer has', async () => {
  const toBaseline = (names: readonly string[], day: string) =>
    JSON.stringify({
      ...{ version: '1.5.0', plugins_used: [], generated_at: `2025-02-${day}T00:00:00Z` },
      results: Object.fromEntries(
        names.map((name) => [name, [{ type: 'Secret Keyword', hashed_secret: name, line_number: 3 }]]),
      ),
    })
  await take(toBaseline(['a', 'b'], '01'))
  await take(toBaseline(['a'], '03'), { complete: true })
  const found = await listFindings(bench)
  expect(
    found.map(({ asset, status, firstDetectedAt, resolvedAt }) => [asset.name, status, firstDetectedAt, resolvedAt]),
  ).toEqual(expect.arrayContaining([['b', 'RESOLVED', '2025-02-01T00:00:00.000Z', '2025-02-03T00:00:00.000Z']]))
})

describe('CSV', () => {
  const header = 'asset.key,detectorType,findingType,severity,firstDetectedAt'
  const row = 'src/a.ts,YARA,RULE,HIGH,2025-03-01T10:00:00Z'

  it.each([
    ['commas', `${header}\n${row}\n`],
    ['semicolons, as spreadsheets write them', `${header}\n${row}\n`.replaceAll(',', ';')],
    ['tabs', `${header}\n${row}\n`.replaceAll(',', '\t')],
    ['a byte order mark and line ends of Windows', `\ufeff${header}\r\n${row}\r\n`],
    ['quotes, and blank lines', `${header}\n\n"src/a.ts","YARA",RULE,"HIGH","2025-03-01T10:00:00Z"\n\n`],
    ['names of columns as exports have them', `${header.replace('asset.key', 'assetKey')}\n${row}\n`],
    ['a severity in lower case', `${header}\n${row.replace('HIGH', 'high')}`],
    ['a time without a zone', `${header}\n${row.replace('T10:00:00Z', ' 10:00')}`],
    ['a time with another zone', `${header}\n${row.replace('10:00:00Z', '12:00:00+02:00')}`],
  ])('is read with %s', async (_, text) => {
    expect(await recognized(text)).toBe('csv')
    await take(text)
    expect(await listFindings(bench)).toMatchObject([
      {
        ...{
          asset: { name: 'src/a.ts' },
          detectorType: 'YARA',
          severity: 'HIGH',
          firstDetectedAt: '2025-03-01T10:00:00.000Z',
        },
      },
    ])
  })

  it('has values with separators, quotes and line breaks, days, labels and numbers', async () => {
    const text = `${header},excerpt,asset.labels,confidence\n"a,b",YARA,"say ""no""",LOW,2025-03-01,"one\ntwo",x; y,"0,5"\n`
    await take(text)
    const [finding] = await listFindings(bench)
    expect(finding).toMatchObject({
      ...{ asset: { name: 'a,b' }, findingType: 'say "no"', confidence: 0.5 },
      firstDetectedAt: '2025-03-01T00:00:00.000Z',
    })
  })

  it('takes columns of other names by --map, and leaves out what it is told to', async () => {
    const text = `file,tool,kind,severity,when,note\nsrc/a.ts,YARA,RULE,HIGH,2025-03-01,x\n`
    const map = { file: 'asset.key', tool: 'detectorType', kind: 'findingType', when: 'firstDetectedAt', note: '' }
    expect((await take(text, { map })).lines).toBe(1)
  })

  it.each([
    ['a quote that never closes', `${header}\n"src/a.ts,YARA\n${row}\n`, /line \d+ .* quote that is never closed/],
    ['two header lines', `${header}\n${header}\n${row}\n`, /line 2 is not valid/],
    [
      'a day that may be two',
      `${header}\n${row.replace('2025-03-01T10:00:00Z', '01/02/2025')}`,
      /line 2 .*firstDetectedAt/,
    ],
    ['a value too many', `${header}\n${row},x\n`, /line 2 .* has 6 values/],
    ['a column that means nothing', `${header},extra\n${row},x\n`, /line 1 .*'extra'.*--map/],
    ['two columns for one member', `${header},assetKey\n${row},x\n`, /line 1 .*two columns for asset.key/],
    ['a million columns', `${'c,'.repeat(1_000_000)}\n`, /line 1 .*(columns|longer)/],
    ['text after a quote', `${header}\n"src/a.ts"x,YARA,RULE,HIGH,2025-03-01\n`, /line 2 .*quote/],
  ])('with %s is refused', async (_, text, message) => {
    expect(await refusal(text)).toMatch(message)
  })

  it('of an export is read, and changes nothing where it came from', async () => {
    await take(`${header},excerpt,asset.container,asset.labels\n${row},=1+1 leaked,Docs,a; b\n`)
    const before = await listFindings(bench)
    let text = ''
    const { files } = findingOperations.find(({ name }) => name === 'search_findings') ?? {}
    for await (const part of files?.csv?.({}, bench.context) ?? []) text += part
    expect(text).toContain("'=1+1 leaked")
    expect((await take(text)).findings).toEqual({ new: 0, again: 1, resolved: 0 })
    expect(await listFindings(bench)).toEqual(before)
  })

  it('has no column that --map names, or is no CSV', async () => {
    expect(await refusal(`${header}\n${row}\n`, { map: { none: 'severity' } })).toMatch(/'none'/)
    expect(await refusal('{"asset": {}}', { map: { none: 'severity' } })).toMatch(/only CSV/)
  })
})

it('an error hides a secret in the name of a file', async () => {
  const name = 'AKIA2E0A8F3B244C9986.env'
  const baseline = { version: '1.5.0', plugins_used: [], results: { [name]: [{ type: 3, hashed_secret: 'x' }] } }
  expect(await refusal(JSON.stringify(baseline))).not.toContain('2E0A8F3B244C9986')
})

it.each([
  ['another version of gitleaks', '[{"Rule": "x", "StartLine": 3, "File": "a"}]', /line 1 is not gitleaks JSON/],
  ['a list of other things', '[1, 2]', /line 1 is not gitleaks JSON/],
  ['Semgrep without results', '{"errors": [],\n "paths": {}}', /not the beginning of Semgrep JSON: results/],
  ['a cut file', '[{"RuleID": "x",\n "Secret": ', /line 2 is not JSON/],
  [
    'SARIF of another version',
    '{"$schema": "https://json.schemastore.org/sarif-2.0.0.json", "version": "2.0.0", "runs": []}',
    /SARIF 2.1.0/,
  ],
  ['nothing that is known', '{"a": 1}', /line 1 is not valid/],
])('%s is refused', async (_, text, message) => {
  expect(await refusal(text)).toMatch(message)
})

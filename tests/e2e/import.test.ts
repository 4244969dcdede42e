import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLastingCommandLine } from '../cli/command-line.ts'
import { makeHome, runAssay, serveAssay } from '../support/assay.ts'
import { importLine } from '../support/import-line.ts'
import { isLong } from '../support/long.ts'
import { ask } from './estate.ts'

const line = (key: string, more: Record<string, unknown> = {}) =>
  importLine(key, { asset: { key, name: `File ${key}`, container: 'shop' }, ...more })
const file = `${line('a')}\n${line('b', { status: 'RESOLVED', resolvedAt: '2026-10-03T08:00:00Z' })}\n`

let home: string
let remove: () => void
let server: Awaited<ReturnType<typeof serveAssay>>
beforeAll(async () => {
  ;({ home, remove } = makeHome())
  server = await serveAssay(home)
})
afterAll(async () => {
  await server.stop()
  remove()
})

async function send(query: string, body: string, type = 'application/x-ndjson') {
  const reply = await fetch(`${server.url}/findings/import${query}`, {
    method: 'POST',
    body,
    headers: { 'content-type': type },
  })
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
}

describe('importing findings', () => {
  it('imports a file over HTTP, and changes nothing the second time', async () => {
    expect(await send('?source=scanner', file)).toMatchObject({
      status: 200,
      body: { lines: 2, assets: 2, findings: { new: 2 } },
    })
    expect(await send('?source=scanner', file)).toMatchObject({ status: 200, body: { findings: { new: 0, again: 2 } } })
    const { body } = await ask(server.url, 'POST', '/semantic/query', {
      metricSlug: 'total-findings',
      filters: { sources: ['scanner'] },
    })
    expect(body.value).toBe(2)
  })

  it('imports the same file on the command line', async () => {
    const { code, stdout } = await runAssay(['import', '-', '--source', 'scanner', '--json'], { home, stdin: file })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ source: { name: 'scanner' }, findings: { new: 0, again: 2 } })
  })

  it('previews a complete CSV file over HTTP, and on the command line resolves what is not in it', async () => {
    const toCsv = (...keys: string[]) =>
      [
        'file;detectorType;findingType;severity;when;note',
        ...keys.map((key) => `${key};YARA;RULE;high;2025-03-01;x`),
      ].join('\n')
    const columns = [
      ['file', 'asset.key'],
      ['when', 'firstDetectedAt'],
      ['note', ''],
    ]
    const maps = columns.map(([column, member]) => `map=${column}%3D${member}`)
    const query = `?source=table&complete=true&scope=shop&${maps.join('&')}`
    expect(await send(query, toCsv('a.ts', 'b.ts'), 'text/csv')).toMatchObject({ body: { findings: { new: 2 } } })
    const dry = await send(`${query}&dryRun=true`, toCsv('a.ts'), 'text/csv')
    expect(dry).toMatchObject({
      body: { findings: { new: 0, again: 1, resolved: 1 }, preview: [{ asset: 'a.ts', severity: 'HIGH' }] },
    })
    expect(dry.body.scanId).toBeUndefined()
    const options = columns.flatMap(([column, member]) => ['--map', `${column}=${member}`])
    const args = ['import', '-', '--source', 'table', '--complete', '--scope', 'shop', ...options]
    const shown = await runAssay([...args, '--dry-run'], { home, stdin: toCsv('a.ts') })
    expect(shown.stdout).toMatch(/a\.ts: YARA RULE, HIGH, OPEN.*\n.*Dry run, nothing was changed.*1 resolved/)
    const { code, stdout } = await runAssay(args, { home, stdin: toCsv('a.ts') })
    expect([code, stdout]).toEqual([0, expect.stringMatching(/0 new, 1 again, 1 resolved/)])
    expect(await send('?source=table&complete=maybe', '')).toMatchObject({ status: 400 })
  })

  it('reports the number of an invalid line and stores nothing of the file', async () => {
    const reply = await send('?source=other', `${line('c')}\n${line('d', { severity: 'BAD' })}\n`)
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_input', reason: 'bad_line', line: 2 } })
    const { body } = await ask(server.url, 'GET', '/sources')
    expect((body.items as { name: string }[]).map(({ name }) => name)).toEqual(['scanner', 'table'])
  })

  it.each([
    ['another media type', '', 'text/plain', 415],
    ['an unknown format', '?format=xml', 'application/x-ndjson', 400],
    ['an unknown key', '?surce=x', 'application/x-ndjson', 400],
  ])('refuses %s', async (_name, query, type, status) => {
    expect((await send(query, file, type)).status).toBe(status)
  })

  const sarif = (more: string) =>
    `{"version":"2.1.0",${more}"runs":[{${more}"tool":{"driver":{"name":"T",${more}"rules":[{"id":"r",${more}"level":"x"}]}},
      "invocations":[{"endTimeUtc":"2026-10-01T00:00:00Z"}],"results":[{${more}"ruleId":"r","level":"error",
      "message":{${more}"text":"bad"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.ts"}}}]}]}]}`
  const severities = '{"severity":"CRITICAL","polluted":true,"isActive":true}'
  /** What is refused over HTTP is refused on the command line by the same code, so one of them is tried there, too. */
  const hostile: [string, string, string][] = [
    ['a line that names the prototype', 'ndjson', `${line('p').replace('{', `{"__proto__":${severities},`)}\n`],
    [
      'an asset that names the prototype',
      'ndjson',
      `${line('p').replace('"asset":{', `"asset":{"__proto__":${severities},`)}\n`,
    ],
    ['an escaped name of the prototype', 'ndjson', `${line('p').replace('{', `{"__proto\\u005f_":${severities},`)}\n`],
    [
      'a line with a constructor',
      'ndjson',
      `${line('p').replace('{', `{"constructor":{"prototype":${severities}},`)}\n`,
    ],
    ['a line with only __proto__', 'ndjson', `{"__proto__":${line('p')}}\n`],
  ]

  it.each(hostile)(
    'refuses %s over HTTP and on the command line, and stores nothing of it',
    async (_name, format, text) => {
      expect(await send(`?source=hostile&format=${format}`, text)).toMatchObject({
        status: 400,
        body: { code: 'invalid_input', reason: 'bad_line', line: 1 },
      })
      if (isLong || text === hostile[0]?.[2]) {
        const { code, stderr } = await openLastingCommandLine({}, { home }).run(
          ['import', '-', '--source', 'hostile'],
          text,
        )
        expect(code).toBe(1)
        expect(stderr).toContain('line 1')
      }
      const { body } = await ask(server.url, 'GET', '/sources')
      expect((body.items as { name: string }[]).map(({ name }) => name)).not.toContain('hostile')
    },
  )

  it.each([
    ['__proto__', `"__proto__":${severities},`],
    ['constructor', `"constructor":{"prototype":${severities}},`],
  ])('ignores a member %s anywhere in a SARIF log, over HTTP and on the command line', async (name, member) => {
    const text = sarif(member)
    const source = `sarif ${name}`
    expect(await send(`?source=${encodeURIComponent(source)}&format=sarif`, text)).toMatchObject({
      status: 200,
      body: { findings: { new: 1 } },
    })
    const again = ['import', '-', '--source', source, '--format', 'sarif', '--json']
    const { stdout } = await openLastingCommandLine({}, { home }).run(again, text)
    expect(JSON.parse(stdout)).toMatchObject({ findings: { new: 0, again: 1 } })
    const { body } = await ask(server.url, 'POST', '/semantic/query', {
      metricSlug: 'total-findings',
      filters: { sources: [source] },
      dimensions: ['severity'],
    })
    expect(body).toMatchObject({ value: 1, breakdown: [{ dimensions: { severity: 'HIGH' }, value: 1 }] })
  })
})

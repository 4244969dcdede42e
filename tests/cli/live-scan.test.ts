import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { generatedWiki } from '../sample/generated-wiki.ts'
import { type SampleWiki, startSampleWiki } from '../sample/servers.ts'
import { mainFile, makeHome } from '../support/assay.ts'
import { type PtyJob, readScreen, runInTerminal, whyNoPty } from '../support/pty.ts'
import { addSource } from './command-line.ts'

const why = whyNoPty()
const columns = 60

/** The program shows, hides or moves the cursor, erases and colours; it writes no other escapes. */
const start = '\u001b'
const otherEscape = new RegExp(`${start}(?!\\[(?:\\?2026[hl]|\\?25[hl]|[0-9;]*[ABGKm]))`)

describe.skipIf(why !== undefined)(`a scan on a terminal${why === undefined ? '' : ` (skipped: ${why})`}`, () => {
  let wiki: SampleWiki
  let remove = () => {}
  afterEach(async () => {
    await wiki.close()
    remove()
  })

  async function openSource(pages: number, waitSeconds: number) {
    const busy = { status: 429, headers: { 'retry-after': String(waitSeconds) } }
    const faults = [{ match: ({ path }: { path: string }) => /\/pages/.test(path), after: 4, times: 1, respond: busy }]
    wiki = await startSampleWiki({ tenant: generatedWiki({ pages, sentences: 4 }), latencyMs: 10, faults })
    const made = makeHome()
    remove = made.remove
    const { config } = sampleSourceConfigs({ wikiUrl: wiki.url, biUrl: wiki.url, authorityUrl: wiki.url }).wiki
    const detectors = [{ type: 'SECRETS', enabled: true }]
    await addSource(made.home, { name: 'Company wiki', config: { ...config, detectors } })
    const scan = (more: Partial<PtyJob> = {}) =>
      runInTerminal({
        argv: [process.execPath, mainFile, 'scan', 'Company wiki'],
        columns,
        rows: 24,
        env: { ASSAY_HOME: made.home, HOME: made.home },
        ...more,
      })
    const readStatus = () => {
      const database = new Database(join(made.home, 'assay.db'), { readonly: true })
      try {
        return database.prepare('SELECT status FROM scan ORDER BY id DESC').pluck().get()
      } finally {
        database.close()
      }
    }
    return { scan, readStatus }
  }

  const countLines = async (output: string) => (await readScreen(output, { columns, rows: 24 })).map(({ text }) => text)

  it('shows what is read, how fast, and the wait that the wiki asks for; the bars and the summary stay', async () => {
    const { scan, readStatus } = await openSource(40, 2)
    const { code, output } = await scan()
    expect([code, readStatus()]).toEqual([0, 'COMPLETED'])
    const frames = stripVTControlCharacters(output)
    expect(frames).toMatch(/ {2}listing/)
    expect(frames).toMatch(/ {2}reading Generated 1, \d+ (?:so far|of \d+)/)
    expect(frames).toMatch(/items a second/)
    expect(frames).toMatch(/ {2}waiting [123] s, asked by Company wiki \(429\)/)
    expect(output).not.toMatch(otherEscape)
    const lines = await countLines(output)
    expect(lines[0]).toMatch(/^ {2}█{24} Generated 1 {2}(\d+) of \1$/)
    expect(lines.slice(1).join(' ')).toMatch(/^Company wiki: COMPLETED · \d+ assets, .* resolved$/)
  }, 120_000)

  it('ends cleanly by Ctrl-C in the middle of a wait: the cursor is shown, no line is half, the scan is cancelled', async () => {
    const { scan, readStatus } = await openSource(40, 12)
    const { code, output } = await scan({ sendAfter: 'waiting 1', send: '\u0003' })
    expect(output).toMatch(/waiting 1[1-5] s, asked by Company wiki \(429\)/)
    expect(code).toBe(1)
    expect(output.lastIndexOf(`${start}[?25l`)).toBeLessThanOrEqual(output.lastIndexOf(`${start}[?25h`))
    expect(output.lastIndexOf(`${start}[?2026h`)).toBeLessThan(output.lastIndexOf(`${start}[?2026l`))
    const lines = await countLines(output)
    expect(lines.filter((text) => /\^C|waiting|reading|listing/.test(text))).toEqual([])
    expect(lines.at(-2)).toMatch(/^assay: The scan was interrupted; what it has stored is kept,/)
    expect(lines.slice(0, -2).every((text) => /^ {2}[█░]{24} Generated 1 {2}\d+ so far$/.test(text))).toBe(true)
    expect(output.endsWith('\n')).toBe(true)
    expect(readStatus()).toBe('CANCELLED')

    const again = await scan()
    expect(again.code).toBe(0)
    expect(readStatus()).toBe('COMPLETED')
  }, 120_000)
})

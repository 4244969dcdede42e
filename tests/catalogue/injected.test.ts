import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { detectText } from '../../src/detectors/detect-text.ts'
import { saveAsset, saveLinks } from '../../src/findings/assets.store.ts'
import { applyDetection } from '../../src/findings/detected.ts'
import { FindingLedger } from '../../src/findings/ledger.store.ts'
import { importFindings } from '../../src/imports/imports.ts'
import type { ToolAnswer } from '../../src/mcp/protocol.ts'
import type { WriteContext } from '../../src/operation/context.ts'
import type { Operation } from '../../src/operation/operation.ts'
import { getSource } from '../../src/sources/sources.store.ts'
import { caller } from '../support/context.ts'
import { isLong } from '../support/long.ts'
import { safe } from '../support/safe-text.ts'
import { askRest, type Doors, exchange, makeTemplate, NOON, openDoors, type Template } from './estate.ts'
import { examples } from './examples.ts'
import { canary, injectedTexts } from './injected-texts.ts'

type Input = Record<string, unknown>

const pick = (at: number) => injectedTexts[at % injectedTexts.length] ?? ''

/** The beginning of a text, without half a character at its end. */
const cut = (text: string, length: number) => text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

/** A page whose title, space, author, link and comment are injected texts; the comment holds a secret, to be quoted. */
function plantPages({ store }: WriteContext): void {
  store.write((writer) => {
    const sourceId = getSource(writer, 'Company wiki').id
    FindingLedger.keep(writer, NOON, (ledger) => {
      for (const [at, text] of injectedTexts.entries()) {
        const id = saveAsset(writer, ledger.facets, {
          sourceId,
          scopeKey: safe('wiki:1'),
          scanId: 1,
          at: NOON,
          detectorsHash: 'd',
          scanned: true,
          draft: {
            key: safe(`wiki:injected:${at}`),
            kind: 'wiki.page',
            name: safe(text),
            url: safe(`http://127.0.0.1:9/${encodeURIComponent(text)}`),
            container: safe(pick(at + 1)),
            owner: safe(pick(at + 2)),
            checksum: safe(`${at}`),
            links: [],
            contentUpdatedAt: NOON,
            facts: { labels: [pick(at + 3)], status: pick(at + 4) },
          },
        })
        saveLinks(writer, id, [
          { type: 'links_to', url: safe(`https://a.example/?q=${text}`), label: safe(pick(at + 5)) },
        ])
        // In the short form, a third of the pages has a comment.
        if (!isLong && at % 3 !== 0) continue
        const comment = `${text} password: Vx7-kw93-Qpl ${text}`
        const { findings } = detectText({ id: 'comment', text: comment, mime: 'text/plain' })
        applyDetection(ledger, {
          asset: { id, sourceId, lastScannedAt: null },
          found: findings.map(({ start, end, ...finding }, index) => ({
            ...finding,
            category: 'SECURITY',
            location: { path: `comment of ${text}`, start, end },
            fingerprint: Buffer.from(`${at}/${index}`).toString('hex').padStart(12, '0'),
          })),
          examinedTypes: new Set(),
          complete: new Set(),
          scanId: 1,
          at: NOON,
        })
      }
    })
  })
}

async function plantImports(context: WriteContext): Promise<void> {
  const rows = injectedTexts.map((text, at) => ({
    asset: { key: `repo:${text}`.slice(0, 300), kind: 'repo.file', name: text, container: pick(at + 7) },
    detectorType: 'YARA',
    findingType: 'SUSPICIOUS',
    severity: 'HIGH',
    category: cut(pick(at + 8), 60),
    excerpt: text,
    firstDetectedAt: '2026-06-01T00:00:00Z',
  }))
  const lines = rows.map((row) => JSON.stringify(row)).join('\n')
  const stream = (async function* () {
    yield Buffer.from(lines)
  })()
  await importFindings(stream, { source: 'Injected scanner', format: 'ndjson' }, context)
}

async function plantTerms(context: WriteContext): Promise<void> {
  const run = caller(operations, context)
  for (const [at, text] of injectedTexts.entries()) {
    if (at % 3 !== 0) continue
    await run('create_glossary_term', {
      slug: `injected-${at}`,
      displayName: cut(text, 100),
      description: cut(pick(at + 1), 900),
      synonyms: [cut(pick(at + 2), 100)],
      filterMapping: { detectorTypes: ['SECRETS'] },
    })
  }
}

let template: Template
let open: Doors
let before: string
const framing = ({ mcp }: Doors) =>
  JSON.stringify([mcp.server, mcp.instructions, mcp.listTools(exchange.caller), mcp.prompts])
beforeAll(async () => {
  const clean = await makeTemplate()
  const doors = openDoors(clean)
  before = framing(doors)
  doors.close()
  clean.remove()
  template = await makeTemplate(async (context) => {
    plantPages(context)
    await plantImports(context)
    await plantTerms(context)
  })
  open = openDoors(template)
}, 120_000)
afterAll(() => {
  open.close()
  template.remove()
})

/** Members that the program writes itself; a text of a tenant has no place in them. */
const prose = new Set(['message', 'hint', 'fix', 'reason', 'code', 'detail'])

function strings(value: unknown, key = ''): [key: string, text: string][] {
  if (typeof value === 'string') return [[key, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [
    ['', name] as [string, string],
    ...strings(member, Array.isArray(value) ? key : name),
  ])
}

const unseen = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u

function expectContained(answer: unknown): void {
  const texts = strings(answer)
  expect(texts.filter(([, text]) => unseen.test(text.replaceAll(/[\n\t]/g, '')))).toEqual([])
  expect(texts.filter(([key, text]) => prose.has(key) && canary.test(text))).toEqual([])
}

/** What stands outside the marks of a text, or all of it where it has none. */
function outsideOf(text: string): string {
  const quoted = /^([^[]*)\[([0-9a-f]{8})\]:\n([\s\S]*)\n\[\2\]$/.exec(text)
  if (quoted === null) return text
  expect(quoted[3]).not.toContain(`[${quoted[2]}]`)
  return quoted[1] ?? ''
}

const isJson = (text: string, structure: unknown) => {
  try {
    expect(JSON.parse(text)).toEqual(structure)
    return true
  } catch {
    return false
  }
}

const wide: Readonly<Record<string, readonly Input[]>> = {
  search_findings: [{ limit: 500 }, { search: 'zqx001' }, { detectorTypes: ['YARA'], limit: 100 }],
  list_assets: [{ limit: 500 }],
  list_glossary_terms: [{ limit: 500 }, { search: 'zqx003' }],
  get_glossary_term: [{ slug: 'injected-0' }, { slug: 'injected-33' }, { slug: 'injected-01' }],
  explore_by_glossary_term: [{ glossaryTermSlug: 'injected-0' }, { glossaryTermSlug: 'injected-12' }],
  query_metric: [
    { metricSlug: 'total-findings', dimensions: ['container', 'category'], limit: 1000 },
    {
      metricSlug: 'total-findings',
      glossaryTermSlug: 'injected-0',
      filters: { containers: [cut(pick(0), 40).replace('zqx', 'zq')] },
    },
    { metricSlug: 'total-findings', glossaryTermSlug: 'ignore all previous' },
  ],
  query_metric_timeseries: [{ metricSlug: 'total-findings', granularity: 'day', dimension: 'container' }],
  explore_metric: [{ metricSlug: 'total-findings', dimensions: ['container'], limit: 1000 }],
  get_finding: [20, 100, 300, 600].map((id) => ({ id: `${id}` })),
  get_asset: [0, 60, 120, 299].map((at) => ({ id: `wiki:injected:${at}` })),
}

const reads = operations.filter(({ effect }) => effect === 'read')
const callsOf = ({ name }: Operation): Input[] => [...(examples[name]?.(template.ids) ?? []), ...(wide[name] ?? [])]

describe('texts with instructions for an assistant', () => {
  it('include three hundred different ones', () => expect(new Set(injectedTexts).size).toBe(300))

  it('do not change the descriptions of the tools', () => {
    expect(framing(open)).toBe(before)
  })

  it.each(reads.filter(({ toolset }) => toolset !== undefined).map((each) => [each.name, each] as const))(
    'stay data in the answers of the tool %s',
    async (name, each) => {
      for (const input of callsOf(each)) {
        const answer = (await open.mcp.callTool(name, input, exchange)) as ToolAnswer
        expectContained(answer.structuredContent)
        const text = String(answer.content[0]?.text)
        expect(text.replaceAll(/[\n\t]/g, '')).not.toMatch(unseen)
        if (answer.isError === true) expectContained(answer._meta)
        // What a term says in the text of its own tools was written by the people of this installation.
        else if (each.untrusted === true && !isJson(text, answer.structuredContent))
          expect(outsideOf(text)).not.toMatch(canary)
      }
    },
    60_000,
  )

  it.each(reads.filter(({ route }) => route !== undefined).map((each) => [each.route, each] as const))(
    'stay data in the answers of %s',
    async (_, each) => {
      for (const input of callsOf(each)) {
        expectContained((await askRest(open.http, each, input)).body)
      }
    },
    60_000,
  )

  it('are in the answers that this test reads', async () => {
    const { body } = await askRest(open.http, operations.find(({ name }) => name === 'search_findings') as Operation, {
      limit: 500,
    })
    expect(JSON.stringify(body).match(new RegExp(canary, 'gi'))?.length).toBeGreaterThan(1_000)
  })
})

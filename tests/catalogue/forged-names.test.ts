import { afterAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { toSafeText } from '../../src/detectors/safe-text.ts'
import { importFindings } from '../../src/imports/imports.ts'
import { removeInvisible } from '../../src/kernel/invisible.ts'
import { showName } from '../../src/kernel/shown.ts'
import { caller, contextOf, localPerson, openStore } from '../support/context.ts'
import { hostileNames } from '../support/hostile-names.ts'
import { isLong } from '../support/long.ts'
import { callTool, openTools } from '../support/mcp-tools.ts'
import { locateStore } from '../support/new-store.ts'
import { runOnTerminal } from '../support/terminal.ts'
import { exchange } from './estate.ts'

const NAMES = 20
const ESTATES = isLong ? 100 : 2
/** Of a name as it is shown: a cell of a table cuts longer ones. */
const MAX_SHOWN = 28
const now = () => Date.UTC(2026, 5, 15, 12)
const removals: (() => void)[] = []
afterAll(() => {
  for (const remove of removals) remove()
})

/** Names that are shown in quotes, as nothing but a name. */
function listNames(seed: number): string[] {
  const names = hostileNames(NAMES * 20, seed).map((name) => name.trim())
  const answered = new Map(names.map((name) => [removeInvisible(name), name]))
  const isFit = (text: string) => /^'.*'$/u.test(showName(text, MAX_SHOWN)) && text.isWellFormed() && text.trim() !== ''
  return [...answered]
    .filter(([text]) => isFit(text) && toSafeText(text, 'prose') === text)
    .map(([, name]) => name)
    .slice(0, NAMES)
}

const unseen = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b]/u

/** What a text consists of besides names, sentences, ids and numbers; lines are in the order of names. */
function shapeOf(text: string): string[] {
  const lines = text.split('\n')
  expect(lines.filter((line) => unseen.test(line))).toEqual([])
  return lines
    .map((line) =>
      line
        .replace(/About .* it\./u, 'SENTENCE')
        .replaceAll(/(?<!\p{L})'(?:[^'\\]|\\.)*'…?/gu, 'NAME')
        .replaceAll(/"(?:[^"\\]|\\.)*"/g, 'JSON')
        .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, 'ID')
        .replaceAll(/\d+/g, '0')
        .replace(/ containers .*$/u, ' FILTER')
        .replaceAll(/─+/g, '─')
        .replaceAll(/ +/g, ' ')
        .trim(),
    )
    .sort()
}

const dimensions = [
  ['container', 'findingType'],
  ['category', 'customDetectorKey'],
  ['assetKind', 'source'],
]
const calls: [string, object][] = [
  ...dimensions.map((each): [string, object] => ['query_metric', { metricSlug: 'found', dimensions: each }]),
  ['query_metric_timeseries', { metricSlug: 'found', granularity: 'month', dimension: 'container' }],
  ['explore_by_glossary_term', { glossaryTermSlug: 'found', dimensions: ['container', 'category', 'findingType'] }],
  ['list_glossary_terms', { limit: 100 }],
  ['list_metrics', { limit: 100 }],
  ['get_glossary_term', { slug: 'term-0' }],
  ['query_dashboard', { dashboard: 'hostile' }],
  ['search_findings', { limit: 100 }],
  ['list_sources', {}],
  ['get_finding', { id: '1' }],
  ['query_metric', { metricSlug: 'unknown' }],
]
const commands = [
  'query found --by container --limit 50',
  'query found --by findingType,category',
  'findings --limit 500',
  ...['findings 1', 'sources', 'terms list', 'metrics list', 'terms show term-0', 'metrics show metric-0'],
  'dashboard hostile',
]

/** Every text about an estate in which these are the names of everything that others name. */
async function listTexts(names: readonly string[]): Promise<{ what: string; shape: string[] }[]> {
  const { store, remove } = openStore(now)
  removals.push(remove)
  const context = contextOf({ store, now, caller: localPerson })
  const run = caller(operations, context)
  const pick = (at: number) => names[at % names.length] ?? ''
  const lines = names.map((name, at) =>
    JSON.stringify({
      asset: { key: `a${at}`, kind: pick(at + 1), name, container: name, url: `https://a.example/${at}` },
      ...{ detectorType: 'YARA', findingType: pick(at + 2), category: pick(at + 3), customDetectorKey: pick(at + 4) },
      ...{ severity: 'HIGH', excerpt: pick(at + 5), firstDetectedAt: '2026-06-10T08:00:00Z' },
    }),
  )
  const stream = (async function* () {
    yield lines.join('\n')
  })()
  await importFindings(stream, { source: pick(6).replaceAll('\0', ''), format: 'ndjson' }, context)
  const filterMapping = { detectorTypes: ['YARA'] }
  const definition = { aggregation: 'COUNT', entity: 'finding' }
  await run('create_glossary_term', { slug: 'found', displayName: 'Found', filterMapping })
  const allowedDimensions = dimensions.flat()
  await run('create_metric', { slug: 'found', displayName: pick(7), type: 'SIMPLE', definition, allowedDimensions })
  for (const [at, name] of names.entries()) {
    const texts = {
      displayName: name,
      description: `About ${pick(at + 1)}, all of it.`,
      synonyms: [pick(at + 2), pick(at + 3)],
    }
    await run('create_glossary_term', { slug: `term-${at}`, ...texts, filterMapping })
    await run('create_metric', {
      ...{ slug: `metric-${at}`, type: 'SIMPLE', definition, glossaryTermSlug: `term-${at}`, ...texts },
    })
    const pinnedFilters = { containers: [pick(at)] }
    await run('set_placement', { dashboard: 'hostile', slug: `metric-${at}`, position: at, pinnedFilters })
  }
  const texts: { what: string; shape: string[] }[] = []
  const mcp = openTools(context)
  for (const [tool, input] of calls) {
    const answer = await callTool(mcp, exchange, tool, input)
    // Without a text of its own an answer is JSON.
    const isJson = answer.lines.length === 1 && answer.lines[0]?.startsWith('{')
    texts.push({
      what: `${tool} ${JSON.stringify(input)}`,
      shape: isJson ? [] : shapeOf(answer.lines.join('\n')),
    })
  }
  for (const command of commands) {
    const { code, stdout, stderr } = await runOnTerminal(command.split(' '), {
      open: async () => ({ operations, caller: localPerson, contextFor: () => context, close: async () => {} }),
      locate: () => locateStore(store),
    })
    expect(code, stderr).toBe(0)
    texts.push({ what: `assay ${command}`, shape: shapeOf(stdout) })
  }
  return texts
}

describe('names from outside', { timeout: 120_000 }, () => {
  it.each(Array.from({ length: ESTATES }, (_, seed) => seed))(
    'are names in every text, and nothing else: hostile ones change nothing else in it (%i)',
    async (seed) => {
      const names = listNames(seed)
      expect(names).toHaveLength(NAMES)
      const plain = names.map((_, at) => `name: ${at}`)
      expect(await listTexts(names)).toEqual(await listTexts(plain))
    },
  )
})

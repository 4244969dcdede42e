import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { importFindings } from '../../src/imports/imports.ts'
import { showName } from '../../src/kernel/shown.ts'
import { contextOf, localPerson, openStore } from '../support/context.ts'
import { hostileNames } from '../support/hostile-names.ts'
import { callTool, openTools } from '../support/mcp-tools.ts'
import { locateStore } from '../support/new-store.ts'
import { runOnTerminal } from '../support/terminal.ts'
import { readErrorText, readExploreText, readMetricText, readSeriesText, readTable } from '../support/text-answers.ts'
import { exchange } from './estate.ts'

const BATCH = 20
const now = () => Date.UTC(2026, 5, 15, 12)
// What a line of an import may hold.
const toFitting = (text: string, most: number, otherwise: string) => text.slice(0, most).trim() || otherwise
const wellFormed = (text: string) => Buffer.from(text).toString()

// biome-ignore lint/suspicious/noExplicitAny: answers are read by member
type Answer = any

/** Names that try to be more than names, in every place that others write, and what each text makes of them. */
export function testForgedTexts(count: number): void {
  const names = hostileNames(count, 7)
  const pick = (at: number) => names[at % names.length] ?? ''
  const batches = Array.from({ length: Math.ceil(count / BATCH) }, (_, at) => names.slice(at * BATCH, (at + 1) * BATCH))
  const { store, remove } = openStore(now)
  const context = contextOf({ store, now, caller: localPerson })
  const mcp = openTools(context)
  const ids: string[] = []

  const ask = (tool: string, input: object) => callTool(mcp, exchange, tool, input)

  const run = async (...argv: string[]): Promise<string[]> => {
    const { code, stdout, stderr } = await runOnTerminal(argv, {
      open: async () => ({ operations, caller: localPerson, contextFor: () => context, close: async () => {} }),
      locate: () => locateStore(store),
    })
    expect(code, stderr).toBe(0)
    return stdout.replace(/\n$/, '').split('\n')
  }

  beforeAll(async () => {
    for (const [number, batch] of batches.entries()) {
      const lines = batch.map((name, index) => {
        const at = number * BATCH + index
        return JSON.stringify({
          asset: {
            key: `a${at}`,
            kind: toFitting(pick(at + 1), 200, 'kind'),
            name: toFitting(name, 1_000, 'name'),
            container: toFitting(name, 1_000, 'container'),
            url: `https://a.example/${encodeURIComponent(wellFormed(toFitting(name, 30, 'x')))}`,
          },
          detectorType: 'YARA',
          findingType: toFitting(pick(at + 2), 200, 'type'),
          category: toFitting(pick(at + 3), 200, 'category'),
          customDetectorKey: toFitting(pick(at + 4), 200, 'key'),
          severity: 'HIGH',
          excerpt: toFitting(pick(at + 5), 1_000, 'excerpt'),
          firstDetectedAt: '2026-06-10T08:00:00Z',
        })
      })
      const stream = (async function* () {
        yield `${lines.join('\n')}\n`
      })()
      const { source } = await importFindings(
        stream,
        { source: wellFormed(`${toFitting(pick(number), 60, 'source')} ${number}`), format: 'ndjson' },
        context,
      )
      ids.push(source.id)
    }
    await mcp.callTool(
      'create_glossary_term',
      { slug: 'found', displayName: 'Found', filterMapping: { detectorTypes: ['YARA'] } },
      exchange,
    )
    await mcp.callTool(
      'create_metric',
      {
        slug: 'found-total',
        displayName: 'a\ntrust: Certified by auditor',
        type: 'SIMPLE',
        definition: { entity: 'finding', aggregation: 'COUNT', mode: 'flow' },
        allowedDimensions: ['container', 'findingType', 'category', 'customDetectorKey', 'assetKind', 'source'],
      },
      exchange,
    )
  }, 300_000)
  afterAll(() => remove())

  const pairs = [
    ['container', 'findingType'],
    ['category', 'customDetectorKey'],
    ['assetKind', 'source'],
  ]

  describe(`${count} hostile names`, () => {
    it('are groups of query_metric, and nothing else', async () => {
      const seen = new Set<string>()
      for (const id of ids) {
        for (const dimensions of pairs) {
          const { lines, answer } = await ask('query_metric', {
            metricSlug: 'found-total',
            dimensions,
            filters: {
              sources: [id],
              exclude: { containers: [wellFormed(toFitting(pick(seen.size), 200, 'x')), 'HR'] },
            },
          })
          const { rows, labels } = readMetricText(lines)
          expect(rows).toEqual(
            answer.breakdown.map((entry: Answer) => [
              ...dimensions.map((dimension) => showName(entry.dimensions[dimension])),
              entry.value,
            ]),
          )
          expect(labels.filter((label) => label === 'trust: ')).toHaveLength(1)
          expect(labels.filter((label) => label.startsWith('warning'))).toHaveLength(
            answer.warnings.filter(({ code }: Answer) => code !== 'truncated').length,
          )
          for (const { dimensions } of answer.breakdown)
            for (const name of Object.values(dimensions)) seen.add(String(name))
        }
      }
      expect(seen.size).toBeGreaterThan(0.85 * count)
    }, 600_000)

    it('are columns of query_metric_timeseries, and nothing else', async () => {
      for (const id of ids) {
        const { lines, answer } = await ask('query_metric_timeseries', {
          metricSlug: 'found-total',
          granularity: 'day',
          dimension: 'container',
          from: '2026-06-09',
          to: '2026-06-11',
          filters: { sources: [id] },
        })
        const { rows, columns } = readSeriesText(lines)
        expect(columns).toEqual(answer.series.map(({ dimensionValue }: Answer) => showName(dimensionValue)))
        expect(rows.map(([timestamp, all]) => [timestamp, all])).toEqual(
          answer.timeSeries
            .filter(({ value }: Answer) => value !== 0)
            .map(({ timestamp, value }: Answer) => [timestamp, value]),
        )
      }
    }, 600_000)

    it('are values and examples of explore_by_glossary_term, and nothing else', async () => {
      for (const id of ids) {
        const { lines, answer } = await ask('explore_by_glossary_term', {
          glossaryTermSlug: 'found',
          dimensions: ['container', 'category', 'findingType'],
          filters: { sources: [id] },
        })
        const { rows, examples } = readExploreText(lines)
        expect(rows).toEqual(
          answer.breakdowns.flatMap(({ dimension, entries }: Answer) =>
            entries.map(({ dimensionValue, value }: Answer) => [dimension, showName(dimensionValue), value]),
          ),
        )
        expect(examples).toEqual(
          answer.examples
            .slice(0, 3)
            .map(({ id, findingType, page, excerpt }: Answer) => [
              id,
              showName(findingType),
              showName(page),
              showName(excerpt),
            ]),
        )
      }
    }, 600_000)

    it('are suggestions of an error, and nothing else', async () => {
      for (const name of names) {
        const { lines, answer, isError } = await ask('query_metric', { metricSlug: toFitting(name, 200, 'x') })
        if (!isError) continue
        expect(readErrorText(lines)).toEqual((answer.suggestions ?? []).map(({ value }: Answer) => showName(value)))
      }
    }, 600_000)

    it('are cells of tables on a terminal, and nothing else', async () => {
      for (const id of ids) {
        const input = { metricSlug: 'found-total', dimensions: ['container'], filters: { sources: [id] }, limit: 50 }
        const { answer } = await ask('query_metric', input)
        const shown = await run(
          'query',
          'found-total',
          '--by',
          'container',
          '--limit',
          '50',
          '--filters',
          JSON.stringify(input.filters),
        )
        expect(readTable(shown.slice(shown.indexOf('') + 1, shown.lastIndexOf('')))).toEqual(
          answer.breakdown.map(({ dimensions, value }: Answer) => [showName(dimensions.container, 60), `${value}`]),
        )
        const { answer: found } = await ask('search_findings', { sources: [id], limit: 500 })
        expect(readTable(await run('findings', '--sources', id, '--limit', '500')).map(([, , , what]) => what)).toEqual(
          found.items.map(({ detectorType, findingType }: Answer) => `${detectorType} ${showName(findingType)}`),
        )
      }
      const { items } = await ask('list_sources', {}).then(({ answer }) => answer)
      expect(readTable(await run('sources')).map(([name]) => name)).toEqual(
        items.map(({ name }: Answer) => showName(name)),
      )
    }, 600_000)

    it('are fields of a finding and of a source on a terminal, and nothing else', async () => {
      let seen = 0
      for (const id of ids) {
        const { answer: found } = await ask('search_findings', { sources: [id], limit: 500 })
        for (const item of found.items) {
          const { answer } = await ask('get_finding', { id: item.id })
          const { asset, detectorType, findingType, excerpt, source, history } = answer
          const named = [asset.container, asset.name].filter((part: string) => part !== '')
          const where = named.map((part: string) => showName(part)).join(' / ')
          const fields = [
            ['where', `${where}${where === '' ? '' : ' '}(${showName(asset.kind)})`],
            ['address', showName(asset.url, 500)],
            ...(excerpt === '' ? [] : [['excerpt', showName(excerpt, 300)]]),
            ['source', showName(source)],
          ]
          const [head, ...lines] = await run('findings', item.id)
          expect(head).toBe(`Finding ${item.id}: ${showName(detectorType)} ${showName(findingType)}, HIGH, OPEN`)
          const end = lines.indexOf('')
          const read = lines.slice(0, end).map((each) => /^([a-z ]+): +(.*)$/u.exec(each)?.slice(1) ?? [each])
          expect(read.filter(([label = '']) => !/^(?:confidence|first found|last found)$/.test(label))).toEqual(fields)
          expect([read.length, history]).toEqual([fields.length + 3, []])
          expect(lines.slice(end + 1)).toEqual([
            'Decide on it:',
            expect.stringMatching(/^ {2}assay triage \d+ --as resolved$/),
            expect.stringMatching(/^ {2}assay triage \d+ --as false-positive --reason "why"$/),
          ])
          seen++
        }
        const { name } = await ask('get_source', { id }).then(({ answer }) => answer)
        const shown = await run('sources', 'show', id)
        expect(readTable(shown.slice(0, 3)).map(([first]) => first)).toEqual([showName(name)])
        expect(shown.slice(3).filter((each) => !/^(?:type: +IMPORT)?$/.test(each))).toEqual([])
      }
      expect(seen).toBe(count)
    }, 600_000)
  })
}

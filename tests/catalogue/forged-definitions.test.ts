import { afterAll, beforeAll, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { showJson, showName, showSentence } from '../../src/kernel/shown.ts'
import { caller, contextOf, localPerson, openStore } from '../support/context.ts'
import { hostileNames } from '../support/hostile-names.ts'
import { isLong } from '../support/long.ts'
import { callTool, openTools } from '../support/mcp-tools.ts'
import { locateStore } from '../support/new-store.ts'
import { LineReader } from '../support/shown-text.ts'
import { runOnTerminal } from '../support/terminal.ts'
import { exchange } from './estate.ts'

/** 2,000 in the long form. */
const COUNT = Number(process.env.FORGED_DEFINITIONS ?? 45)
const ON_DASHBOARD = 40
const now = () => Date.UTC(2026, 5, 15, 12)
const { store, remove } = openStore(now)
const context = contextOf({ store, now, caller: localPerson })
const mcp = openTools(context)

interface Definition {
  slug: string
  displayName: string
  description: string
  synonyms: string[]
  filterMapping: object
}
interface Answer {
  items: Definition[]
}

async function ask<Kind>(tool: string, input: object): Promise<{ lines: string[]; answer: Kind }> {
  return callTool(mcp, exchange, tool, input)
}

function readNames(reader: LineReader): string[] {
  const names = [reader.name()]
  while (reader.skip(', ')) names.push(reader.name())
  return names
}

const namesOf = ({ synonyms }: Definition) => synonyms.map((name) => showName(name))

/** Its first characters, as well-formed Unicode. */
const cut = (name: string, length: number) => Buffer.from(name.slice(0, length)).toString()

beforeAll(async () => {
  const run = caller(operations, context)
  const names = hostileNames(COUNT, 11)
  for (const [at, name] of names.entries()) {
    const texts = {
      displayName: `${cut(name, 180)} ${at}`,
      description: cut(name, 4_000),
      synonyms: [`${at} ${cut(name, 90)}`, `also ${at}`],
    }
    await run('create_glossary_term', { slug: `term-${at}`, ...texts, filterMapping: { severities: ['LOW'] } })
    const definition = { aggregation: 'COUNT', entity: 'finding' }
    const metric = { slug: `metric-${at}`, type: 'SIMPLE', definition, glossaryTermSlug: `term-${at}` }
    await run('create_metric', { ...metric, ...texts, synonyms: [`of ${at} ${cut(name, 90)}`] })
    const pinnedFilters = { containers: [cut(name, 200).trim() || 'none'] }
    if (at >= ON_DASHBOARD) continue
    await run('set_placement', { dashboard: 'hostile', slug: metric.slug, position: at, pinnedFilters })
  }
}, 600_000)
afterAll(() => remove())

it('hostile names of terms are terms of list_glossary_terms, and nothing else', async () => {
  const { lines, answer } = await ask<Answer>('list_glossary_terms', { limit: 100 })
  expect(lines).toHaveLength(1 + answer.items.length)
  for (const [index, term] of answer.items.entries()) {
    const reader = new LineReader(lines[index + 1] ?? '').take(`${term.slug}: `)
    expect(reader.name()).toBe(showName(term.displayName))
    if (term.synonyms.length > 0) {
      expect(readNames(reader.take(' (also: '))).toEqual(namesOf(term))
      reader.take(')')
    }
    reader.skip(' [unreviewed]')
    reader.take(`. ${showSentence(term.description)} ${JSON.stringify(term.filterMapping)}`).end()
  }
})

it('hostile names of metrics are metrics of list_metrics, and nothing else', async () => {
  const { lines, answer } = await ask<Answer>('list_metrics', { limit: 50 })
  expect(lines).toHaveLength(1 + 2 * answer.items.length)
  for (const [index, metric] of answer.items.entries()) {
    const reader = new LineReader(lines[2 * index + 1] ?? '').take(`${metric.slug}: `)
    expect(reader.name()).toBe(showName(metric.displayName))
    reader.match(/ \(\w+, \w+/)
    if (reader.skip(' in ')) reader.name()
    reader.match(/, \w+, version \d+(?:; term [\w-]+)?/)
    if (metric.synonyms.length > 0) expect(readNames(reader.take('; also '))).toEqual(namesOf(metric))
    reader.match(/\); by [\w, ]+/)
    reader.end()
    expect(lines[2 * index + 2]).toBe(`  ${showSentence(metric.description)}`)
  }
})

it('hostile names are fields of a term of get_glossary_term, and nothing else', async () => {
  for (let at = 0; at < COUNT; at++) {
    const { lines, answer } = await ask<Definition & { metrics: Definition[] }>('get_glossary_term', {
      slug: `term-${at}`,
    })
    expect(lines).toHaveLength(3 + answer.metrics.length)
    const head = new LineReader(lines[0] ?? '')
    expect(head.name()).toBe(showName(answer.displayName))
    head.take(` (term-${at})`).skip(' [unreviewed]')
    head.take(`: ${showSentence(answer.description)}`).end()
    const also = new LineReader(lines[1] ?? '').take('category: none; synonyms: ')
    expect(readNames(also)).toEqual(namesOf(answer))
    also.end()
    const [metric] = answer.metrics
    const linked = new LineReader(lines[3] ?? '').take(`metric metric-${at}: `)
    expect(linked.name()).toBe(showName(metric?.displayName ?? ''))
    linked.match(/, SIMPLE, \w+/)
    linked.end()
  }
})

interface DashboardItem {
  metricSlug: string
  displayName: string
  position: number
  pinnedFilters: object
  trust: { label: string }
  warnings: { code: string; message: string }[]
}

it('hostile names of metrics and filters are items of query_dashboard, and nothing else', async () => {
  const { lines, answer } = await ask<{ metrics: DashboardItem[]; warnings: object[] }>('query_dashboard', {
    dashboard: 'hostile',
  })
  expect(answer.metrics).toHaveLength(ON_DASHBOARD)
  expect(lines).toHaveLength(1 + ON_DASHBOARD + answer.warnings.length)
  expect(lines[0]).toMatch(/^hostile as of [\d:.TZ-]+$/)
  for (const [index, item] of answer.metrics.entries()) {
    const reader = new LineReader(lines[index + 1] ?? '').take(`${item.position}. `)
    expect(reader.name()).toBe(showName(item.displayName))
    reader.take(` [${item.metricSlug}]: `).match(/0 \(value 0\)/)
    reader.skip('; reason no_data')
    reader.take(`; ${item.trust.label}; pinned ${showJson(item.pinnedFilters)}`)
    for (const { code, message } of item.warnings) reader.take(`; warning ${code}: ${showSentence(message)}`)
    reader.end()
  }
})

async function show(...argv: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runOnTerminal(argv, {
    open: async () => ({ operations, caller: localPerson, contextFor: () => context, close: async () => {} }),
    locate: () => locateStore(store),
  })
  expect(code, stderr).toBe(0)
  return stdout.replace(/\n$/, '').split('\n')
}

/** The fields of a shown definition by their labels; each is one line. */
const readFields = (lines: readonly string[]) =>
  Object.fromEntries(lines.map((each) => /^([\w. ]+): +(.*)$/u.exec(each)?.slice(1) ?? [each, 'no field']))

/** Each row of a table is one line, which begins with these texts. */
function expectRows([, rule = '', ...rows]: readonly string[], begins: readonly (readonly string[])[]): void {
  expect(rule).toMatch(/^─+(?: {2}─+)*$/u)
  expect(rows).toHaveLength(begins.length)
  for (const [at, texts] of begins.entries()) {
    const reader = new LineReader(rows[at] ?? '')
    for (const text of texts) reader.take(text).match(/ */)
  }
}

it('hostile names are rows of the lists of terms and metrics on a terminal, and nothing else', async () => {
  for (const [command, list] of [
    ['terms', 'list_glossary_terms'],
    ['metrics', 'list_metrics'],
  ] as const) {
    const answer: Answer = await caller(operations, context)(list)
    const shown = (await show(command, 'list')).filter((each) => !/^\d+ of \d+ (?:term|metric)s$/.test(each))
    expect(answer.items.length).toBeGreaterThan(40)
    expectRows(
      shown,
      answer.items.map(({ slug, displayName }) => [slug, showName(displayName)]),
    )
  }
})

it('hostile names are fields of a term and of a metric on a terminal, and nothing else', async () => {
  // In the short form, every third name.
  for (let at = 0; at < COUNT; at += isLong ? 1 : 3) {
    const { answer: term } = await ask<Definition>('get_glossary_term', { slug: `term-${at}` })
    const [head, ...lines] = await show('terms', 'show', `term-${at}`)
    expect(head).toBe(`${showName(term.displayName)} (term-${at}) covers 0 findings.`)
    const { description = '', synonyms = '', ...others } = readFields(lines)
    expect([description, synonyms]).toEqual([showSentence(term.description).trimStart(), namesOf(term).join(', ')])
    expect(Object.keys(others).filter((label) => !/^(?:severities|metrics|review|category)$/.test(label))).toEqual([])
    const { answer: metric } = await ask<Definition>('get_metric', { slug: `metric-${at}` })
    const [first, ...rest] = await show('metrics', 'show', `metric-${at}`)
    expect(first).toBe(`${showName(metric.displayName)} (metric-${at})`)
    const fields = readFields(rest)
    expect([fields.description ?? '', fields.synonyms ?? '']).toEqual([
      showSentence(metric.description).trimStart(),
      namesOf(metric).join(', '),
    ])
    expect(Object.entries(fields).filter(([, value]) => value === 'no field')).toEqual([])
  }
}, 600_000)

it('hostile names of metrics and filters are rows of a dashboard on a terminal, and nothing else', async () => {
  const { answer } = await ask<{ metrics: DashboardItem[] }>('query_dashboard', { dashboard: 'hostile' })
  const [head, ...lines] = await show('dashboard', 'hostile')
  expect(head).toBe('Dashboard hostile')
  expectRows(
    lines.slice(0, 2 + ON_DASHBOARD),
    answer.metrics.map(({ displayName }) => [showName(displayName)]),
  )
  const after = lines.slice(2 + ON_DASHBOARD).filter((each) => each !== '')
  expect(after.filter((each) => !/^(?:Range: |Range of |Data: |! )/.test(each))).toEqual([])
})

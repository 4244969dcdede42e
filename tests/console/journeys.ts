import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { toNumber, toValueText, toWords } from '../../src/charts/words.ts'
import type { Pages, Served } from './harness.ts'
import { settled } from './harness.ts'

// What a user does on a data folder of any size; what the pages show is compared with answers of REST to own questions.

interface Value {
  value: number | null
  metric: { type: string; format: 'number' | 'percentage' | 'duration'; unit: string }
  breakdown: { dimensionValue: string; value: number }[]
  other?: { value: number }
}
interface Asked {
  metricSlug: string
  glossaryTermSlug?: string
  from?: string
  to?: string
  filters?: Record<string, unknown>
  alsoMetrics?: string[]
  dimensions?: string[]
  granularity?: string
  compare?: object
  timeZone?: string
}
interface Place {
  pages: Pages
  served: Served
}

const textOf = ({ value, metric }: Value) => toValueText(value, metric.format, metric.unit)

/** The question of the page about one metric, which has the range that the page resolved. */
async function openAsking(page: Page, act: () => Promise<unknown>): Promise<Asked> {
  const asking = page.waitForRequest((request) => request.url().endsWith('/semantic/query/view'))
  await act()
  const asked = (await asking).postDataJSON() as Asked
  await settled(page)
  return asked
}

const figures = (page: Page) => page.locator('.figure b').allInnerTexts()

/** Every number of the page about one metric: strip, breakdowns with what they leave out, and the table of the trend. */
export async function compareExplore({ pages, served }: Place, address: string): Promise<void> {
  const page = await pages.open('/console/sources')
  const asked = await openAsking(page, () => page.goto(`${pages.origin}${address}`))
  const { metricSlug, glossaryTermSlug, from, to, filters, timeZone } = asked
  const ask = (slug: string, more: object = {}) =>
    served.ask<Value>('POST', '/semantic/query', {
      metricSlug: slug,
      glossaryTermSlug,
      from,
      to,
      filters,
      timeZone,
      ...more,
    })
  const texts: string[] = []
  for (const tile of await page.locator('.strip .tile').all()) {
    texts.push(`${await tile.locator('.label').innerText()} ${await tile.locator('.figure b').innerText()}`)
  }
  const expected: string[] = []
  for (const slug of [metricSlug, ...(asked.alsoMetrics ?? [])]) {
    const answer = await ask(slug)
    expected.push(`${(answer.metric as unknown as { displayName: string }).displayName} ${textOf(answer)}`)
  }
  expect(texts.toSorted()).toEqual(expected.toSorted())
  const { items } = await served.ask<{ items: { name: string; label: string; filterKey: string }[] }>(
    'GET',
    '/semantic/dimensions',
  )
  const boards = page.locator('.boards .board')
  expect(await boards.count()).toBeGreaterThan(4)
  for (const board of await boards.all()) {
    const label = await board.getAttribute('aria-label')
    const dimension = items.find((each) => each.label === label)
    if (dimension === undefined) throw new Error(`there is no dimension ${label}`)
    const { [dimension.filterKey]: _own, ...others } = filters ?? {}
    const answer = await ask(metricSlug, {
      dimensions: [dimension.name],
      limit: 8,
      filters: others,
      compare: asked.compare,
    })
    const toText = (value: number) => toValueText(value, answer.metric.format, answer.metric.unit)
    const entries = await board
      .locator('.entry')
      .evaluateAll((all) =>
        all.map((entry) => ['.name', '.number'].map((part) => entry.querySelector(part)?.textContent).join(' ')),
      )
    // Some dimensions have an order of their own.
    expect(entries.toSorted(), `${label}`).toEqual(
      answer.breakdown.map(({ dimensionValue, value }) => `${toWords(dimensionValue)} ${toText(value)}`).toSorted(),
    )
    const rest = await board.locator('.others .number').allInnerTexts()
    expect(rest, `${label}, others`).toEqual(answer.other === undefined ? [] : [toText(answer.other.value)])
  }
  await page.getByRole('button', { name: 'Show as table' }).click()
  const rows = await page
    .locator('.scroll tbody tr')
    .evaluateAll((all) => all.map((row) => row.querySelector('td')?.textContent))
  const about = { glossaryTermSlug, from, to, filters, timeZone, granularity: asked.granularity }
  const { metric } = await ask(metricSlug)
  const askSeries = (slug: string) =>
    served.ask<{ timeSeries: { timestamp: string; value: number | null }[] }>('POST', '/semantic/query/timeseries', {
      metricSlug: slug,
      ...about,
    })
  const toText = (value: number | null | undefined) => toValueText(value, metric.format, metric.unit)
  if (metric.type === 'SIMPLE') {
    const { timeSeries } = await askSeries(metricSlug)
    expect(rows).toEqual(timeSeries.map(({ value }) => toText(value)))
    return
  }
  // Only simple metrics have a series of their own in REST; the buckets of another are asked about one by one.
  const { timeSeries } = await askSeries('new-findings')
  expect(rows).toHaveLength(timeSeries.length)
  for (const index of [1, Math.floor(rows.length / 2), rows.length - 2]) {
    const [start, end] = [timeSeries[index]?.timestamp, timeSeries[index + 1]?.timestamp]
    const { value } = await ask(metricSlug, { from: start, to: end })
    expect(rows[index]).toBe(toText(value))
  }
}

/** Every number of the overview, of the lists, and of the pages of one thing. */
export async function compareOthers({ pages, served }: Place, term: string): Promise<void> {
  const page = await pages.open('/console/sources')
  interface Sources {
    items: { name: string; counts: { openFindings: number; assets: number } }[]
  }
  const { items: sources } = await served.ask<Sources>('GET', '/sources')
  const listed = await page
    .locator('.source')
    .evaluateAll((all) =>
      all.map((row) => [...row.querySelectorAll('h2, dd')].slice(0, 3).map((each) => each.textContent)),
    )
  expect(listed).toEqual(
    sources.map(({ name, counts }) => [name, toNumber(counts.openFindings), toNumber(counts.assets)]),
  )

  const asking = page.waitForRequest((request) => request.url().endsWith('/semantic/query/dashboard'))
  await page.goto(`${pages.origin}/console/`)
  const question = (await asking).postDataJSON() as object
  // The same as in the terminal: of all time.
  expect(question).toEqual({ dashboard: 'discovery' })
  await page.locator('.numbers-list .figure b').first().waitFor()
  interface Dashboard {
    metrics: { displayName: string; value: number | null; format: 'number'; unit: string }[]
  }
  const dashboard = await served.ask<Dashboard>('POST', '/semantic/query/dashboard', question)
  expect(await figures(page)).toEqual(
    dashboard.metrics.map(({ value, format, unit }) => toValueText(value, format, unit)),
  )
  const big = (label: string) => page.locator(`section[aria-label="${label}"] .big`).innerText()
  const since = new Date(Date.now() - 6 * 86_400_000).toISOString().slice(0, 10)
  const listTotal = (query: string) =>
    served.ask<{ total: number }>('GET', `/findings?total=true&limit=1&statuses=OPEN&${query}`)
  expect(await big('New and critical')).toBe(toNumber((await listTotal(`severities=CRITICAL&from=${since}`)).total))
  const bySeverity = await served.ask<Value>('POST', '/semantic/query', {
    metricSlug: 'open-findings',
    dimensions: ['severity'],
  })
  expect(
    await page
      .locator('.trends li')
      .evaluateAll((all) =>
        all.map((row) => [row.querySelector('.severity')?.textContent, row.querySelector('b')?.textContent]),
      ),
  ).toEqual(
    ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO'].flatMap((severity) => {
      const found = bySeverity.breakdown.find(({ dimensionValue }) => dimensionValue === severity)
      return found === undefined ? [] : [[toWords(severity), toNumber(found.value)]]
    }),
  )

  const total = (query: string) =>
    served.ask<{ total: number }>('GET', `/findings?total=true&limit=1&${query}`).then((answer) => answer.total)
  await page.goto(`${pages.origin}/console/findings?severity=HIGH`)
  await expect
    .poll(() => page.locator('.count').innerText())
    .toBe(toNumber(await total('severities=HIGH&statuses=OPEN')))
  const facet = page.locator('.facets section[aria-label=Detector] .number').first()
  const { breakdown } = await served.ask<Value>('POST', '/semantic/query', {
    metricSlug: 'open-findings',
    filters: { severities: ['HIGH'] },
    dimensions: ['detectorType'],
    limit: 1,
  })
  expect(await facet.innerText()).toBe(toNumber(breakdown[0]?.value ?? -1))

  await page.goto(`${pages.origin}/console/glossary/${term}`)
  const covers = page.locator('section[aria-label=Covers] header')
  await covers.waitFor()
  const whole = await served.ask<Value>('POST', '/semantic/query', {
    metricSlug: 'total-findings',
    glossaryTermSlug: term,
  })
  expect(await covers.innerText()).toContain(`${toNumber(whole.value ?? -1)} findings`)
  for (const [path, list] of [
    ['metrics', '/semantic/metrics?limit=1'],
    ['glossary', '/semantic/glossary?limit=1'],
  ]) {
    await page.goto(`${pages.origin}/console/${path}`)
    const { total: count } = await served.ask<{ total: number }>('GET', list ?? '')
    await expect.poll(() => page.locator('.count').innerText()).toBe(toNumber(count))
  }
}

/** From the overview to a decision about a finding, its undo, and its history, by the keyboard alone. */
export async function triageByKeyboard({ pages, served }: Place): Promise<void> {
  const page = await pages.open('/console/')
  await page.keyboard.press('g')
  await page.keyboard.press('f')
  await page.waitForURL(/findings/)
  await page.locator('.rows li').nth(2).waitFor()
  await page.keyboard.press('j')
  await page.waitForURL(/id=/)
  const id = new URL(page.url()).searchParams.get('id') ?? ''
  const counts = () =>
    Promise.all(
      ['h1 + .count', '.facets section[aria-label=Status] .on .number'].map((each) => page.locator(each).innerText()),
    )
  const before = await counts()
  const fewer = before.map((text) => toNumber(Number(text.replaceAll(',', '')) - 1))
  await page.keyboard.press('i')
  await page.getByLabel('Ignore: why?').waitFor()
  await page.keyboard.type('a test key')
  await page.keyboard.press('Enter')
  await page.getByText('Finding ignored').waitFor()
  expect(new URL(page.url()).searchParams.get('id')).not.toBe(id)
  const read = () =>
    served.ask<{ status: string; history: { from: string; to: string; reason: string }[] }>('GET', `/findings/${id}`)
  expect(await read()).toMatchObject({ status: 'IGNORED' })
  await expect.poll(counts).toEqual(fewer)
  await page.getByRole('button', { name: 'Undo the last decision' }).waitFor()
  await page.keyboard.press('u')
  await page.getByText('1 restored').waitFor()
  await expect.poll(counts).toEqual(before)
  const { status, history } = await read()
  expect(status).toBe('OPEN')
  expect(history.slice(-2)).toMatchObject([
    { from: 'OPEN', to: 'IGNORED', reason: 'a test key' },
    { from: 'IGNORED', to: 'OPEN', reason: 'undo' },
  ])
  await page.keyboard.press('u')
  await page.getByText('no decision on this page').waitFor()
  await page.keyboard.press('k')
  await page.waitForURL((url) => url.searchParams.get('id') === id)
  await page.locator('.history').getByText('undo').waitFor()
  expect(await page.locator('.history').innerText()).toMatch(/“undo”[\s\S]*“a test key”[\s\S]*found/)
}

/** A part of the trend is selected by dragging, and its findings are listed. */
export async function brushToList({ pages, served }: Place): Promise<void> {
  const page = await pages.open('/console/explore?metric=new-findings')
  const box = await page.locator('.plot svg').boundingBox()
  if (box === null) throw new Error('no chart')
  await page.mouse.move(box.x + box.width * 0.4, box.y + 100)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.6, box.y + 100, { steps: 4 })
  await page.mouse.up()
  await page.waitForURL(/brush=/)
  const [from, to] = (new URL(page.url()).searchParams.get('brush') ?? '').split('..')
  const { value } = await served.ask<Value>('POST', '/semantic/query', {
    metricSlug: 'new-findings',
    from,
    to,
  })
  const shown = toNumber(value ?? -1)
  await expect.poll(() => page.locator('.tile[aria-pressed=true] .figure b').innerText()).toBe(shown)
  await page.getByText('See the findings').click()
  await page.waitForURL(/findings\?.*from=/)
  await expect.poll(() => page.locator('.count').innerText()).toBe(shown)
}

/** Back, forward, reload, and the address in a new profile all show the same numbers. */
export async function revisit({ pages }: Place): Promise<void> {
  const page = await pages.open('/console/explore?metric=open-findings&range=90d')
  const read = async (shown: Page) => ({
    figures: await shown.locator('.strip .figure b').allInnerTexts(),
    boards: await shown.locator('.boards .entry .number').allInnerTexts(),
  })
  const all = await read(page)
  await page.locator('section[aria-label=Severity] .entry').first().click()
  await page.waitForURL(/severity=CRITICAL/)
  await expect.poll(() => read(page)).not.toEqual(all)
  await settled(page)
  const filtered = await read(page)
  await page.goBack()
  await expect.poll(() => read(page)).toEqual(all)
  await page.goForward()
  await expect.poll(() => read(page)).toEqual(filtered)
  await page.reload()
  await settled(page)
  expect(await read(page)).toEqual(filtered)
  const other = await pages.openAfresh(page.url().slice(pages.origin.length))
  expect(await read(other)).toEqual(filtered)
}

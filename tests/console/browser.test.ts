import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { isLong } from '../support/long.ts'
import { generate, hasBrowser, inspect, launch, Pages, type Served, serve, settled } from './harness.ts'
import { brushToList, compareExplore, compareOthers, revisit, triageByKeyboard } from './journeys.ts'

const hostile = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  '\u202egnp.exe\u200b',
  'مساحة العمل',
  'x'.repeat(400),
] as const
/** Elements, attributes and addresses that no page of the console has. */
const listStrange = (page: Page) =>
  page.evaluate(() => {
    const known =
      'html noscript head meta title link script body a aside b bdi br button circle code datalist dd details dialog div dl dt em fieldset figcaption figure footer form g h1 h2 h3 header i input kbd label legend li line linearGradient main nav ol option p path pre progress rect section select span stop summary svg table tbody td text textarea th thead time tr ul defs'
    const elements = [...document.querySelectorAll('*')]
    const strange = elements.filter(
      (each) =>
        !known.split(' ').includes(each.localName) ||
        each.getAttributeNames().some((name) => name.startsWith('on') || name === 'srcdoc') ||
        !/^(?:https?:|\/console\/|#|\/|data:image)/.test(each.getAttribute('href') ?? '#'),
    )
    const wide = document.documentElement.scrollWidth - innerWidth
    return [...strange.map((each) => each.outerHTML.slice(0, 200)), ...(wide > 0 ? [`${wide} px too wide`] : [])]
  })

const hostileLines = hostile.map((text, index) =>
  JSON.stringify({
    asset: { key: `hostile-${index}`, kind: 'wiki.page', name: text, url: 'javascript:alert(1)', container: text },
    detectorType: 'SECRETS',
    findingType: 'PASSWORD',
    severity: 'CRITICAL',
    category: 'SECURITY',
    excerpt: text,
    valueKey: 'one and the same',
    firstDetectedAt: new Date(Date.now() - 60_000 * (index + 1)).toISOString(),
  }),
)

let browser: Browser
let served: Served
let pages: Pages

const openPage = (path: string, options: Parameters<Pages['open']>[1] = {}) => pages.open(path, options)
const ask = <Answer>(method: string, path: string, body?: object) => served.ask<Answer>(method, path, body)

const metric = { type: 'SIMPLE', definition: { aggregation: 'COUNT', entity: 'finding' }, displayName: 'Every finding' }

describe.skipIf(!hasBrowser)('the console in a browser', { timeout: 90_000 }, () => {
  beforeAll(async () => {
    ;[browser, served] = await Promise.all([launch(), serve()])
    await served.importLines('archive', `${generate(1500, 7)}${hostileLines.join('\n')}\n`)
    await served.importLines(hostile[0], hostileLines.join('\n'))
    pages = new Pages(browser, served.origin)
    await ask('POST', '/semantic/metrics', { slug: 'every-finding', ...metric })
    await ask('PUT', '/semantic/metrics/every-finding', {
      definition: { ...metric.definition, filters: { severities: ['HIGH', 'CRITICAL'] } },
    })
    await ask('POST', '/semantic/watches', {
      slug: 'open-by-space',
      displayName: 'Open findings in a space',
      metricSlug: 'open-findings',
      dimensions: ['container'],
      condition: { kind: 'above', value: 40 },
    })
    for (const [index, text] of hostile.entries()) {
      const named = { slug: `hostile-${index}`, displayName: text.slice(0, 100) }
      await ask('POST', '/semantic/glossary', {
        ...named,
        description: text,
        category: text.slice(0, 100),
        filterMapping: { containers: [text] },
      })
      await ask('POST', '/semantic/metrics', {
        ...metric,
        ...named,
        description: text,
        owner: text.slice(0, 100),
        unit: '<b>',
      })
      const condition = { kind: 'above', value: 0 }
      await ask('POST', '/semantic/watches', {
        ...named,
        metricSlug: 'open-findings',
        filters: { sources: ['archive'], findingTypes: ['PASSWORD'] },
        dimensions: ['container'],
        condition,
      })
    }
    const terms = await ask<{ items: { slug: string }[] }>('GET', '/semantic/glossary?limit=500')
    expect(terms.items.filter(({ slug }) => slug.startsWith('hostile-'))).toHaveLength(hostile.length)
    const watches = await ask<{ items: { slug: string }[] }>('GET', '/semantic/watches')
    expect(watches.items.filter(({ slug }) => slug.startsWith('hostile-'))).toHaveLength(hostile.length)
    await ask('POST', '/semantic/watches/check', {})
    const days = { CRITICAL: 7, HIGH: 30 }
    await ask('PUT', '/semantic/sla', { policies: [{ days }, { days, glossaryTermSlug: 'hostile-1' }] })
  })
  afterAll(async () => {
    await Promise.all([browser?.close(), served?.close()])
  })
  afterEach(() => pages.finish())

  test('overdue findings are marked, and listed alone', async () => {
    const page = await openPage('/console/settings')
    await page.getByText('Critical 7 days, High 30 days').first().waitFor()
    await page.getByRole('link', { name: 'overdue findings' }).click()
    const { total } = await ask<{ total: number }>('GET', '/findings?overdue=true&total=true')
    await expect.poll(() => page.locator('.count').innerText()).toBe(total.toLocaleString('en-US'))
    expect(total).toBeGreaterThan(0)
    expect(await page.locator('.rows .badge.bad').count()).toBe(Math.min(50, total))
    expect(await inspect(page)).toEqual([])
  })

  test('a finding names the other places of its value, and leads to all of them', async () => {
    const { items } = await ask<{ items: { id: string }[] }>('GET', '/findings?sources=archive&search=onerror')
    const page = await openPage(`/console/findings?id=${items[0]?.id}&status=all`)
    const places = page.getByRole('region', { name: 'The same value elsewhere' })
    await places.getByText(`is in ${2 * hostile.length} items.`).waitFor()
    expect(await places.getByRole('listitem').count()).toBe(2 * hostile.length - 1)
    expect(await inspect(page)).toEqual([])
    await places.getByRole('link', { name: 'Show all' }).click()
    await expect.poll(() => page.locator('.count').innerText()).toBe(String(2 * hostile.length))
  })

  test('a person is looked for without a trace in the address', async () => {
    const page = await openPage('/console/person')
    await page.getByRole('textbox').fill('Mara Winkler\nmara@nordwind-nord.de')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByText('0 findings in 0 items').waitFor()
    await page.getByText('Names are not detected').waitFor()
    expect(page.url()).toMatch(/\/console\/person$/)
    expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toMatch(/mara|winkler/i)
    expect(await inspect(page)).toEqual([])
  })

  const [markup, script] = hostile.map((text) => encodeURIComponent(text))
  test.each([
    ['', 390, 'light'],
    ['explore?severity=CRITICAL', 390, 'dark'],
    ['findings?container=Engineering', 390, 'light'],
    [`findings?q=${script}&container=${markup}`, 390, 'light'],
    ['person', 390, 'light'],
    ['sources', 390, 'light'],
    ['sources?add=1', 1440, 'dark'],
    [`sources/${markup}`, 390, 'dark'],
    ['glossary', 390, 'dark'],
    ['glossary/hostile-0', 390, 'light'],
    ['metrics', 390, 'dark'],
    ['metrics/every-finding?v=1..2', 1440, 'light'],
    ['metrics/hostile-3', 390, 'light'],
    ['watches', 390, 'light'],
    ['watches/hostile-3', 390, 'dark'],
    ['?range=90d&d=discovery', 390, 'dark'],
    ['?d=discovery&edit=1', 390, 'light'],
    ['?edit=new', 390, 'dark'],
    ['glossary?add=1', 390, 'light'],
    ['glossary/hostile-0?edit=1', 1440, 'dark'],
    ['metrics?add=1', 390, 'light'],
    ['metrics/hostile-1?edit=1', 390, 'dark'],
    ['metrics/hostile-1?edit=deprecate', 390, 'light'],
    ['watches?add=1', 390, 'dark'],
    ['watches/hostile-2?edit=1', 390, 'light'],
    ['settings', 390, 'dark'],
    ['settings?edit=due', 390, 'light'],
    ['settings?edit=suppression', 1440, 'dark'],
    ['settings?edit=token', 390, 'dark'],
    [`sources/${markup}?edit=1`, 390, 'light'],
    [`nowhere/${script}`, 390, 'light'],
  ] as const)(
    '%s at %i px, %s, passes the accessibility checks of axe, fits its width, does not move while it is loaded, and shows hostile texts as text',
    async (path, width, colorScheme) => {
      const isNowhere = path.startsWith('nowhere')
      const options = { viewport: { width, height: 844 }, colorScheme, unsettled: isNowhere }
      const page = await openPage(`/console/${path}`, options)
      if (isNowhere) await page.getByText('There is no page').waitFor()
      if (path.includes('Engineering')) {
        await page.keyboard.press('j')
        await page.getByText('History').waitFor()
      }
      expect(await inspect(page)).toEqual([])
      expect(await listStrange(page)).toEqual([])
      if (isNowhere || !isLong) return
      // The other width in the other colours; what moves is a fault of the page.
      await page.setViewportSize({ width: width === 1440 ? 390 : 1440, height: 844 })
      await page.emulateMedia({ colorScheme: colorScheme === 'dark' ? 'light' : 'dark' })
      await page.reload()
      await settled(page)
    },
  )

  // A flow with filters; the long form has questions of every kind.
  test.each(['metric=new-findings&severity=HIGH,CRITICAL&range=90d'])(
    'every number of explore?%s equals that of REST',
    (query) => compareExplore({ pages, served }, `/console/explore?${query}`),
  )
  test('every number of the other pages equals that of REST', () => compareOthers({ pages, served }, 'pii-exposure'))
  test('a click adds a filter; back, forward, reload and another profile show the same numbers', () =>
    revisit({ pages, served }))
  test('dragging selects a time range, whose findings are listed', () => brushToList({ pages, served }))
  test('the keyboard alone suffices to triage a finding, undo it and read its history', () =>
    triageByKeyboard({ pages, served }))

  test('hostile texts are shown as text in lists and in suggestions, and their addresses are not links', async () => {
    const page = await openPage('/console/findings?source=archive&severity=CRITICAL&findingType=PASSWORD')
    for (const _ of hostile) {
      const before = page.url()
      await page.keyboard.press('j')
      await page.waitForURL((url) => url.href !== before)
    }
    await page.getByText('History').waitFor()
    const { items } = await ask<{ items: { asset: { name: string } }[] }>(
      'GET',
      '/findings?sources=archive&severities=CRITICAL&findingTypes=PASSWORD&statuses=OPEN&limit=5',
    )
    const shown = await page.locator('.rows').textContent()
    expect(items.map(({ asset }) => asset.name).filter((name) => shown?.includes(name) !== true)).toEqual([])
    expect(items.some(({ asset }) => asset.name.includes('<'))).toBe(true)
    expect(await listStrange(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${pages.origin}/console/watches/hostile-2`)
    await page.locator('table').getByText('<img src=x onerror=alert(1)>').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('<img')
    await page.getByRole('option').first().waitFor()
    expect(await listStrange(page)).toEqual([])
  })

  test('search finds a metric by keyboard', async () => {
    const page = await openPage('/console/')
    const focused = await page.evaluate(async () => {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }))
      for (let turn = 0; turn < 10; turn++) await Promise.resolve()
      return document.activeElement?.getAttribute('role')
    })
    // Before anything is painted, so that fast typing does not press shortcuts of the page.
    expect(focused).toBe('combobox')
    await page.keyboard.type('false positive')
    // Earlier letters have answers of their own.
    await expect
      .poll(() => page.locator('#found').getByRole('option').first().textContent())
      .toMatch(/false positive rate/i)
    await page.keyboard.press('Enter')
    await page.waitForURL(/metric=false-positive-rate/)
  })
})

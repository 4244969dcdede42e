import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { assay, hasBrowser, inspect, launch, Pages, type Served, serve, settled } from './harness.ts'

const hostile = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  '\u202egnp.exe\u200b',
  'مساحة العمل',
  'x'.repeat(400),
]
const hostileLines = hostile.map((text, index) =>
  JSON.stringify({
    asset: { key: `hostile-${index}`, kind: 'wiki.page', name: text, url: 'javascript:alert(1)', container: text },
    detectorType: 'SECRETS',
    findingType: 'PASSWORD',
    severity: 'CRITICAL',
    category: 'SECURITY',
    excerpt: text,
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
    const lines = assay('generate', '--findings', '1500', '--seed', '7')
    ;[browser, served] = await Promise.all([
      launch(),
      serve((home) => {
        const file = join(home, 'findings.ndjson')
        writeFileSync(file, `${lines}${hostileLines.join('\n')}\n`)
        assay('import', '--home', home, '--source', 'archive', file)
      }),
    ])
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
    await ask('POST', '/semantic/watches/check', {})
    await ask('PUT', '/semantic/sla', { policies: [{ days: { CRITICAL: 7, HIGH: 30 } }] })
  })
  afterAll(async () => {
    await Promise.all([browser?.close(), served?.close()])
  })
  afterEach(() => pages.finish())

  test('overdue findings are marked, and listed alone', async () => {
    const page = await openPage('/console/watches')
    await page.getByText('Critical 7 days, High 30 days').waitFor()
    await page.getByRole('link', { name: 'overdue findings' }).click()
    const { total } = await ask<{ total: number }>('GET', '/findings?overdue=true&total=true')
    await expect.poll(() => page.locator('.count').innerText()).toBe(total.toLocaleString('en-US'))
    expect(total).toBeGreaterThan(0)
    expect(await page.locator('.rows .badge.bad').count()).toBe(Math.min(50, total))
    expect(await inspect(page)).toEqual([])
  })

  test.each([
    ['/console/', 1440, 'light'],
    ['/console/', 390, 'dark'],
    ['/console/explore?severity=CRITICAL', 1440, 'dark'],
    ['/console/explore?metric=open-findings', 390, 'light'],
    ['/console/findings?container=Engineering', 1440, 'light'],
    ['/console/findings', 390, 'dark'],
    ['/console/sources', 390, 'light'],
    ['/console/sources?add=1', 1440, 'dark'],
    ['/console/sources/archive', 390, 'dark'],
    ['/console/glossary', 1440, 'dark'],
    ['/console/glossary/pii-exposure', 390, 'light'],
    ['/console/metrics', 390, 'dark'],
    ['/console/metrics/every-finding?v=1..2', 1440, 'light'],
    ['/console/watches', 1440, 'light'],
    ['/console/watches/open-by-space', 390, 'dark'],
    ['/console/nowhere', 390, 'light'],
  ] as const)(
    '%s at %i px, %s, passes the accessibility checks of axe and fits its width',
    async (path, width, colorScheme) => {
      const isNowhere = path === '/console/nowhere'
      const page = await openPage(path, { viewport: { width, height: 844 }, colorScheme, unsettled: isNowhere })
      if (isNowhere) await page.getByText('There is no page').waitFor()
      if (path.includes('container')) {
        await page.keyboard.press('j')
        await page.getByText('History').waitFor()
      }
      expect(await inspect(page)).toEqual([])
    },
  )

  test('numbers equal those of REST, in every browser profile that opens the address', async () => {
    const path = '/console/explore?metric=open-findings&severity=HIGH,CRITICAL&range=90d'
    const page = await openPage(path)
    const question = { filters: { severities: ['HIGH', 'CRITICAL'] } }
    const asked = (metricSlug: string, more: object = {}) =>
      ask<{ value: number; breakdown: { value: number }[] }>('POST', '/semantic/query', {
        metricSlug,
        ...question,
        ...more,
      })
    const open = await asked('open-findings')
    const read = async (shown: Page) => ({
      figure: await shown.locator('.tile[aria-pressed=true] .figure b').innerText(),
      board: await shown.locator('section[aria-label=Detector] .entry .number').allInnerTexts(),
    })
    const { breakdown } = await asked('open-findings', { dimensions: ['detectorType'], limit: 8 })
    const expected = {
      figure: open.value.toLocaleString('en-US'),
      board: breakdown.map(({ value }) => value.toLocaleString('en-US')),
    }
    expect(await read(page)).toEqual(expected)
    await page.reload()
    await settled(page)
    expect(await read(page)).toEqual(expected)
    const other = await (await browser.newContext()).newPage()
    await other.goto(page.url())
    await settled(other)
    expect(await read(other)).toEqual(expected)
    await other.context().close()
  })

  test('a click adds a filter, back removes it, and the address contains the whole state', async () => {
    const page = await openPage('/console/explore?metric=open-findings')
    const figure = page.locator('.tile[aria-pressed=true] .figure b')
    const all = await figure.innerText()
    await page.locator('section[aria-label=Severity] .entry').first().click()
    await page.waitForURL(/severity=CRITICAL/)
    await expect.poll(() => figure.innerText()).not.toBe(all)
    await page.goBack()
    await expect.poll(() => figure.innerText()).toBe(all)
    await page.goForward()
    await page.getByText('See the findings').click()
    await page.waitForURL(/findings\?severity=CRITICAL/)
    const { total: count } = await ask<{ total: number }>(
      'GET',
      '/findings?severities=CRITICAL&statuses=OPEN&total=true',
    )
    await expect.poll(() => page.locator('.count').innerText()).toBe(count.toLocaleString('en-US'))
  })

  test('dragging selects a time range, in the address and in the numbers', async () => {
    const page = await openPage('/console/explore?metric=new-findings')
    const box = await page.locator('.plot svg').boundingBox()
    if (box === null) throw new Error('no chart')
    await page.mouse.move(box.x + box.width * 0.4, box.y + 100)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.6, box.y + 100, { steps: 4 })
    await page.mouse.up()
    await page.waitForURL(/brush=/)
    await settled(page)
    const [from, to] = (new URL(page.url()).searchParams.get('brush') ?? '').split('..')
    const { value } = await ask<{ value: number }>('POST', '/semantic/query', {
      metricSlug: 'new-findings',
      from: `${from}T00:00:00Z`,
      to: `${to}T00:00:00Z`,
    })
    await expect
      .poll(() => page.locator('.tile[aria-pressed=true] .figure b').innerText())
      .toBe(value.toLocaleString('en-US'))
    await page.getByRole('button', { name: 'Show as table' }).click()
    expect(await page.locator('.scroll tbody tr').count()).toBe(52)
    await page.getByText('See the findings').click()
    await page.waitForURL(/findings\?.*from=/)
    await expect.poll(() => page.locator('.count').innerText()).toBe(value.toLocaleString('en-US'))
  })

  test('the keyboard alone suffices to triage a finding, undo it and read its history', async () => {
    const page = await openPage('/console/')
    await page.keyboard.press('g')
    await page.keyboard.press('f')
    await page.waitForURL(/findings/)
    await page.locator('.rows li').nth(2).waitFor()
    await page.keyboard.press('j')
    await page.waitForURL(/id=/)
    const id = new URL(page.url()).searchParams.get('id') ?? ''
    await page.keyboard.press('i')
    await page.getByLabel('Ignore: why?').waitFor()
    await page.keyboard.type('a test key')
    await page.keyboard.press('Enter')
    await page.getByText('Finding ignored').waitFor()
    expect(new URL(page.url()).searchParams.get('id')).not.toBe(id)
    const read = () =>
      ask<{ status: string; history: { from: string; to: string; reason: string }[] }>('GET', `/findings/${id}`)
    expect(await read()).toMatchObject({ status: 'IGNORED' })
    await page.keyboard.press('u')
    await page.getByText('1 restored').waitFor()
    const { status, history } = await read()
    expect(status).toBe('OPEN')
    expect(history.slice(-2)).toMatchObject([
      { from: 'OPEN', to: 'IGNORED', reason: 'a test key' },
      { from: 'IGNORED', to: 'OPEN', reason: 'undo' },
    ])
  })

  test('hostile names are shown as text, and their addresses are not links', async () => {
    const page = await openPage('/console/findings?source=archive&severity=CRITICAL&findingType=PASSWORD')
    for (let index = 0; index < hostile.length; index += 1) {
      await page.keyboard.press('j')
      await page.waitForTimeout(80)
    }
    await page.getByText('History').waitFor()
    expect(await page.locator('main img, main script, main iframe, main a[href^="javascript"]').count()).toBe(0)
    const { items } = await ask<{ items: { asset: { name: string } }[] }>(
      'GET',
      '/findings?sources=archive&severities=CRITICAL&findingTypes=PASSWORD&statuses=OPEN&limit=5',
    )
    const shown = await page.locator('.rows').textContent()
    expect(items.map(({ asset }) => asset.name).filter((name) => shown?.includes(name) !== true)).toEqual([])
    expect(items.some(({ asset }) => asset.name.includes('<'))).toBe(true)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1440)
  })

  test('search finds a metric by keyboard', async () => {
    const page = await openPage('/console/')
    await page.keyboard.press('/')
    await page.keyboard.type('false positive')
    // Earlier letters have answers of their own.
    await expect.poll(() => page.getByRole('option').first().textContent()).toMatch(/false positive rate/i)
    await page.keyboard.press('Enter')
    await page.waitForURL(/metric=false-positive-rate/)
  })
})

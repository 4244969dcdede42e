import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { isLong } from '../support/long.ts'
import { hasBrowser, inspect, launch, Pages, type Served, serve } from './harness.ts'

// Opening an entry moves what is below it.
const opened = { unsettled: true, allowed: /^layout shift/ }

let browser: Browser
let served: Served
let pages: Pages

describe.skipIf(!hasBrowser)('the page about the REST API in a browser', { timeout: 90_000 }, () => {
  beforeAll(async () => {
    ;[browser, served] = await Promise.all([launch(), serve()])
    pages = new Pages(browser, served.origin)
  }, 90_000)
  afterEach(() => pages.finish())
  afterAll(async () => {
    await browser?.close()
    await served?.close()
  })

  test('finds operations by words, with the keyboard alone', async () => {
    const page = await pages.open('/docs', opened)
    await page.keyboard.press('/')
    await page.keyboard.type('query metric timeseries')
    expect(await page.locator('#found').textContent()).toBe('1 operation')
    expect(await page.locator('main details:visible').count()).toBe(1)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    const entry = page.locator('#query_metric_timeseries')
    expect(await entry.getAttribute('open')).toBe('')
    const text = (await entry.textContent()) ?? ''
    for (const part of [
      'Body (application/json)',
      'metricSlug (required)',
      'Response 200',
      `curl -X POST '${served.origin}/semantic/query/timeseries'`,
    ])
      expect(text).toContain(part)
  })

  test('a link opens the operation or schema that it leads to', async () => {
    const page = await pages.open('/docs#get_finding', opened)
    const entry = page.locator('#get_finding')
    expect(await entry.getAttribute('open')).toBe('')
    expect(await entry.locator('pre').first().textContent()).toBe(`curl '${served.origin}/findings/24'`)
    const link = page.locator('#get_finding a[href^="#schema-"]').first()
    const target = await link.getAttribute('href')
    await link.click()
    expect(await page.locator(`${target}[open]`).count()).toBe(1)
  })

  test('has no violations of accessibility rules, and contains every operation, each with a curl command for this server', async () => {
    const page = await pages.open('/docs', opened)
    await page.evaluate(() => {
      for (const entry of [...document.querySelectorAll('details')].slice(0, 4)) entry.open = true
    })
    for (const [colorScheme, width, part] of [
      ['light', 1280, 'html'],
      // Entries are alike, so in the short form those that are open are enough in other colours.
      ['dark', 360, isLong ? 'html' : 'details[open]'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      expect(await inspect(page, part), colorScheme).toEqual([])
    }
    const { paths } = await served.ask<{ paths: Record<string, Record<string, { operationId: string }>> }>(
      'GET',
      '/openapi.json',
    )
    const ids = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
    const shown = await page
      .locator('main details:not([id^="schema-"])')
      .evaluateAll((entries) => entries.map(({ id }) => id))
    expect(shown.toSorted()).toEqual(ids.toSorted())
    const curls = await page.locator('main pre').evaluateAll((all) => all.map(({ textContent }) => textContent ?? ''))
    expect(curls.filter((text) => text.startsWith('curl ') && !text.includes(served.origin))).toEqual([])
  })
})

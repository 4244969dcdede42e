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

  test('opens the operation or schema that a link leads to, and finds operations by words, with the keyboard alone', async () => {
    const page = await pages.open('/docs#get_finding', opened)
    const linked = page.locator('#get_finding')
    await expect.poll(() => linked.getAttribute('open')).toBe('')
    expect(await linked.locator('pre').first().textContent()).toBe(`curl '${served.origin}/findings/24'`)
    const link = page.locator('#get_finding a[href^="#schema-"]').first()
    const target = await link.getAttribute('href')
    await link.click()
    await page.locator(`${target}[open]`).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('query metric timeseries')
    await expect.poll(() => page.locator('#found').textContent()).toBe('1 operation')
    await expect.poll(() => page.locator('main details:visible').count()).toBe(1)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    const entry = page.locator('#query_metric_timeseries')
    await expect.poll(() => entry.getAttribute('open')).toBe('')
    const text = (await entry.textContent()) ?? ''
    for (const part of [
      'Body (application/json)',
      'metricSlug (required)',
      'Response 200',
      `curl -X POST '${served.origin}/semantic/query/timeseries'`,
    ])
      expect(text).toContain(part)
  })

  test('has no violations of accessibility rules, and contains every operation, each with a curl command for this server', async () => {
    const page = await pages.open('/docs', opened)
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
    // Entries are alike, so in the short form some of them are enough.
    await page.evaluate(
      (rest) => {
        const entries = [...document.querySelectorAll('details')]
        for (const entry of entries.slice(0, 4)) entry.open = true
        for (const entry of entries.slice(8, rest)) entry.remove()
      },
      isLong ? 0 : -8,
    )
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 360],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      expect(await inspect(page), colorScheme).toEqual([])
    }
  })
})

import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, inspect, launch, Pages, type Served, serve } from './harness.ts'

let browser: Browser
let served: Served
let pages: Pages

const propose = async (operation: string, input: object): Promise<string> => {
  const body = { operation, input }
  return (await served.ask<{ proposal: { id: string } }>('POST', '/proposals', body)).proposal.id
}

describe.skipIf(!hasBrowser)('proposals in the console:', { timeout: 90_000 }, () => {
  beforeAll(async () => {
    ;[browser, served] = await Promise.all([launch(), serve()])
    pages = new Pages(browser, served.origin)
  })
  afterAll(async () => {
    await Promise.all([browser?.close(), served?.close()])
  })
  afterEach(() => pages.finish())

  test('a line on each page leads to what waits, which the keyboard approves', async () => {
    const empty = await pages.open('/console/proposals')
    await empty.getByText('Nothing waits for a decision').waitFor()
    expect(await inspect(empty)).toEqual([])
    const filterMapping = { detectorTypes: ['PII'], severities: ['HIGH'] }
    const id = await propose('update_glossary_term', { slug: 'pii-exposure', filterMapping })
    await propose('certify_metric', { slug: 'overdue-findings' })
    const page = await pages.open('/console/metrics')
    const line = page.getByRole('link', { name: '2 proposals wait for a decision' })
    await line.waitFor()
    expect(await inspect(page)).toEqual([])
    await line.press('Enter')
    await page.getByText('Update glossary term: pii-exposure').waitFor()
    expect(await inspect(page)).toEqual([])
    await page.getByRole('link', { name: 'Update glossary term' }).press('Enter')
    await page.getByRole('row', { name: 'filter mapping › severities (differs) – High' }).waitFor()
    expect(await inspect(page)).toEqual([])
    await page.getByLabel('Reason').fill('agreed in the review')
    await page.getByRole('button', { name: 'Approve' }).press('Enter')
    await page.locator('.badge', { hasText: 'approved' }).waitFor()
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    expect(await served.ask('GET', `/proposals/${id}`)).toMatchObject({ reason: 'agreed in the review' })
    expect(await served.ask('GET', '/semantic/glossary/pii-exposure')).toMatchObject({ filterMapping })
  })

  test('one whose metric has changed since says so, and is rejected by nobody any more', async () => {
    const hostile = { slug: 'odd', displayName: '\u202e<img src=x onerror=alert(1)>', type: 'SIMPLE' }
    const odd = await propose('create_metric', { ...hostile, definition: { aggregation: 'COUNT', entity: 'finding' } })
    const shown = await pages.open(`/console/proposals/${odd}`)
    await shown.getByText('The call: create_metric').click()
    expect(await shown.locator('main').innerText()).not.toContain('\u202e')
    const id = await propose('delete_metric', { slug: 'sla-compliance' })
    const page = await pages.open(`/console/proposals/${id}`, {
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
    })
    await page.getByText('Deleted').waitFor()
    expect(await inspect(page)).toEqual([])
    await served.ask('PUT', '/semantic/metrics/sla-compliance', { description: 'Other words' })
    pages.allow(/409/)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('has changed since it was proposed').first().waitFor()
    expect(await served.ask('GET', '/semantic/metrics/sla-compliance')).toMatchObject({ description: 'Other words' })
    expect(await inspect(page)).toEqual([])
  })
})

import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { generate, hasBrowser, inspect, launch, Pages, type Served, serve } from './harness.ts'

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

  test('the impact of a change is shown where it is decided', async () => {
    await served.importLines('lines', generate(400))
    const filters = { statuses: ['OPEN'], severities: ['CRITICAL'] }
    const definition = { aggregation: 'COUNT', entity: 'finding', mode: 'stock', filters }
    const id = await propose('update_metric', { slug: 'open-findings', definition })
    const other = await propose('update_metric', { slug: 'open-findings', description: 'Other words' })
    const page = await pages.open(`/console/proposals/${id}`)
    const impact = page.getByRole('region', { name: 'Impact', exact: true })
    await impact.getByText(/instead of \d+ findings in the last 12 months/).waitFor()
    await impact.getByRole('img', { name: 'With the change over time' }).waitFor()
    await impact.getByRole('region', { name: 'Groups that change' }).getByRole('row').nth(1).waitFor()
    expect(await impact.getByRole('heading', { name: 'Gained: 0 findings' }).count()).toBe(1)
    const lost = impact.getByRole('list', { name: /^Lost: \d+ findings$/ }).getByRole('link')
    expect(await lost.count()).toBe(3)
    expect(await impact.getByRole('list', { name: 'Used by' }).innerText()).toContain(`proposal ${other}`)
    expect(await impact.getByRole('list', { name: 'Used by' }).innerText()).not.toContain(`proposal ${id}`)
    expect(await inspect(page)).toEqual([])
    await lost.first().press('Enter')
    await page.getByRole('heading', { name: 'History' }).waitFor()
    const narrow = await pages.open(`/console/proposals/${id}`, {
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
    })
    await narrow.getByText(/instead of \d+ findings/).waitFor()
    expect(await inspect(narrow)).toEqual([])

    const metric = await pages.open('/console/metrics/overdue-findings')
    await metric.getByRole('button', { name: 'Certify version' }).press('Enter')
    const dialog = metric.getByRole('dialog')
    await dialog.getByText('as before, in the last 12 months').waitFor()
    expect(await inspect(metric)).toEqual([])
    await dialog.getByRole('button', { name: 'Certify version' }).press('Enter')
    await metric.locator('.badge', { hasText: 'Certified' }).first().waitFor()

    const form = await pages.open('/console/glossary/pii-exposure?edit=1')
    await form.getByLabel('Display name').waitFor()
    expect(await form.getByRole('region', { name: 'Impact' }).count()).toBe(0)
    await form.getByLabel('Display name').fill('Personal data')
    const changing = form.getByRole('region', { name: 'Impact', exact: true })
    await changing.getByText('as before, in the last 12 months').waitFor()
    expect(await inspect(form)).toEqual([])
  })

  test('tests of a metric are made in its form, and a failing one is seen on its page', async () => {
    const form = await pages.open('/console/metrics/total-findings?edit=1')
    await form.getByText('Tests', { exact: true }).click()
    await form.getByRole('button', { name: 'Add to Tests' }).press('Enter')
    const first = form.getByRole('group', { name: 'Tests 1', exact: true })
    await first.getByLabel('Max').first().fill('1')
    await form.getByRole('button', { name: 'Add to Tests' }).press('Enter')
    const second = form.getByRole('group', { name: 'Tests 2', exact: true })
    await second.getByRole('button', { name: 'Sum of its groups' }).press('Enter')
    await second.getByLabel('Dimension').selectOption('severity')
    const impact = form.getByRole('region', { name: 'Impact', exact: true })
    await impact.getByRole('list', { name: 'Results of the tests' }).getByText('fails').waitFor()
    expect(await inspect(form)).toEqual([])
    await form.getByRole('button', { name: 'Save' }).press('Enter')
    await form.waitForURL('**/metrics/total-findings')
    const results = form.getByRole('region', { name: 'Tests' }).getByRole('list')
    await results.getByText('✓ passes').waitFor()
    expect(await results.innerText()).toMatch(/fails\s+between/)
    expect(await form.locator('.title .badge').innerText()).toContain('Failing')
    expect(await served.ask('GET', '/semantic/metrics/total-findings')).toMatchObject({
      tests: [
        { kind: 'between', max: 1 },
        { kind: 'sumOf', dimension: 'severity' },
      ],
    })
    expect(await inspect(form)).toEqual([])
  })
})

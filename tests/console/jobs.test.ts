import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { toNumber } from '../../src/charts/words.ts'
import { generate, hasBrowser, inspect, launch, Pages, type Served, serve } from './harness.ts'

// What a security lead does in the console; the server says afterwards whether it was done.

let browser: Browser
let served: Served
let pages: Pages

const refused = /Failed to load resource|layout shift/
const ask = <Answer>(method: string, path: string, body?: object, token?: string) =>
  served.ask<Answer>(method, path, body, token)
const open = (path: string) => pages.open(`/console/${path}`, { allowed: refused })

/** Moves the focus by the Tab key alone. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let turn = 0; turn < 150; turn++) {
    await page.keyboard.press('Tab')
    if (await target.evaluate((element) => element === document.activeElement)) return
  }
  throw new Error(`the Tab key does not lead to ${target}`)
}

const press = async (page: Page, name: string | RegExp) => {
  await tabTo(page, page.getByRole('button', { name }).first())
  await page.keyboard.press('Enter')
}
const type = async (page: Page, label: string, text: string) => {
  await tabTo(page, page.getByLabel(label, { exact: true }).first())
  await page.keyboard.type(text)
}
const click = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click()
const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first().click()
const confirm = async (page: Page, name: string) => {
  await click(page, name)
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
}

describe.skipIf(!hasBrowser)('a security lead', { timeout: 90_000 }, () => {
  beforeAll(async () => {
    ;[browser, served] = await Promise.all([launch(), serve()])
    await served.importLines('archive', generate(800, 11))
    pages = new Pages(browser, served.origin)
  })
  afterAll(async () => {
    await Promise.all([browser?.close(), served?.close()])
  })
  afterEach(() => pages.finish())

  test('defines a term by mouse: the findings that it covers are counted while they are chosen', async () => {
    const page = await open('glossary')
    await follow(page, 'Add a term')
    await page.getByLabel('Display name').fill('Severe leaks')
    expect(await page.getByLabel('Slug').inputValue()).toBe('severe-leaks')
    await click(page, /^Severity/)
    await page.getByLabel('Critical', { exact: true }).check()
    await page.getByLabel('High', { exact: true }).check()
    await click(page, /^Status/)
    await page.getByRole('button', { name: 'not False positive' }).click()
    const filters = { severities: ['CRITICAL', 'HIGH'], exclude: { statuses: ['FALSE_POSITIVE'] } }
    const { value } = await ask<{ value: number }>('POST', '/semantic/query', { metricSlug: 'total-findings', filters })
    await expect.poll(() => page.locator('.total').innerText()).toBe(toNumber(value))
    expect(await inspect(page)).toEqual([])
    await click(page, 'Add the term')
    await page.waitForURL('**/glossary/severe-leaks')
    expect(await ask('GET', '/semantic/glossary/severe-leaks')).toMatchObject({ filterMapping: filters })
  })

  test('changes a term, and undoes it', async () => {
    const page = await open('glossary/severe-leaks')
    await follow(page, 'Edit')
    await page.getByLabel('Description').fill('What hurts')
    await click(page, 'Save')
    await page.getByText('Term saved').waitFor()
    expect(await ask('GET', '/semantic/glossary/severe-leaks')).toMatchObject({ description: 'What hurts' })
    await click(page, /^Undo/)
    await page.getByText('Undone').waitFor()
    expect(await ask('GET', '/semantic/glossary/severe-leaks')).toMatchObject({ description: '' })
  })

  test('builds a metric by the keyboard alone, beside its sentence, its value and its JSON', async () => {
    const page = await open('metrics')
    await tabTo(page, page.getByRole('link', { name: 'Add a metric' }))
    await page.keyboard.press('Enter')
    await type(page, 'Display name', 'Fresh leaks')
    await tabTo(page, page.getByText('Where', { exact: true }))
    await page.keyboard.press('Enter')
    await press(page, /^Severity/)
    await tabTo(page, page.getByLabel('Critical', { exact: true }))
    await page.keyboard.press('Space')
    await page
      .getByText('The number of findings first detected in the time asked about, where severity is Critical.')
      .waitFor()
    const from = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 365 * 86_400_000).toISOString()
    const filters = { severities: ['CRITICAL'] }
    const { value } = await ask<{ value: number }>('POST', '/semantic/query', {
      metricSlug: 'new-findings',
      filters,
      from,
    })
    await expect.poll(() => page.locator('.aside .figure b').innerText()).toBe(toNumber(value))
    await tabTo(page, page.getByText('As JSON'))
    await page.keyboard.press('Enter')
    const json = page.getByRole('textbox', { name: 'As JSON' })
    const shown = JSON.parse(await json.inputValue()) as object
    expect(shown).toMatchObject({ slug: 'fresh-leaks', definition: { filters } })
    await json.fill(JSON.stringify({ ...shown, definition: { aggregation: 'COUNT', entity: 'asset' } }))
    await page.getByText('The number of assets first seen').waitFor()
    await json.fill(JSON.stringify({ ...shown, unit: 'leaks' }))
    expect(await inspect(page)).toEqual([])
    await page.getByLabel('Unit').waitFor()
    expect(await page.getByLabel('Unit').inputValue()).toBe('leaks')
    await page.getByLabel('Display name').focus()
    await press(page, 'Add the metric')
    await page.waitForURL('**/metrics/fresh-leaks')
    expect(await ask('GET', '/semantic/metrics/fresh-leaks')).toMatchObject({ unit: 'leaks', definition: { filters } })
  })

  test('certifies, deprecates and deletes a metric, each after its consequences were shown', async () => {
    const page = await open('metrics/fresh-leaks')
    await click(page, 'Certify version 1')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('you vouch for what it counts').waitFor()
    expect(await inspect(page)).toEqual([])
    expect(await ask('GET', '/semantic/metrics/fresh-leaks')).toMatchObject({ status: 'DRAFT' })
    await dialog.getByRole('button', { name: 'Certify version 1' }).click()
    await page.getByText('Version 1 certified').waitFor()
    expect(await ask('GET', '/semantic/metrics/fresh-leaks')).toMatchObject({ status: 'ACTIVE' })
    await follow(page, 'Deprecate')
    await page.getByLabel('Replaced by').selectOption('new-findings')
    await page.getByLabel('Reason').fill('Too narrow')
    await click(page, 'Deprecate')
    await page.getByText('Its successor is new-findings').waitFor()
    await confirm(page, 'Delete')
    await page.waitForURL('**/console/metrics')
    expect(await ask('GET', '/semantic/metrics/fresh-leaks')).toMatchObject({ code: 'not_found' })
  })

  test('adds a watch by keyboard, with the line of its condition and the times at which it would have fired', async () => {
    const page = await open('watches?add=1')
    await type(page, 'Display name', 'Many open')
    await tabTo(page, page.getByLabel('Metric', { exact: true }))
    await page.keyboard.type('Open findings')
    await type(page, 'Value', '5')
    const fired = page.getByText(/It would (?:not )?have fired/)
    await fired.waitFor()
    const change = { metricSlug: 'open-findings', condition: { kind: 'above', value: 5 } }
    const { past } = await ask<{ past: { met: boolean | null }[] }>('POST', '/semantic/watches/draft/preview', {
      change,
      weeks: 52,
    })
    const starts = past.filter(({ met }, index) => met === true && past[index - 1]?.met !== true).length
    expect(await fired.innerText()).toContain(starts === 0 ? 'not' : starts === 1 ? 'once' : `${starts} times`)
    expect(starts).toBeGreaterThan(0)
    expect(await page.locator('.point.marked').count()).toBe(starts)
    expect(await inspect(page)).toEqual([])
    await page.getByRole('textbox', { name: 'Value', exact: true }).focus()
    await press(page, 'Add the watch')
    await page.waitForURL('**/watches/many-open')
    expect(await ask('GET', '/semantic/watches/many-open')).toMatchObject(change)
  })

  test('changes and deletes a watch', async () => {
    const page = await open('watches/many-open')
    await follow(page, 'Edit')
    await page.getByLabel('Times in a row').fill('2')
    await click(page, 'Save')
    await page.getByText('Watch saved').waitFor()
    expect(await ask('GET', '/semantic/watches/many-open')).toMatchObject({ condition: { for: 2, value: 5 } })
    await confirm(page, 'Delete')
    await page.waitForURL('**/console/watches')
    expect(await ask('GET', '/semantic/watches/many-open')).toMatchObject({ code: 'not_found' })
  })

  test('sets due dates by keyboard, and undoes them', async () => {
    const page = await open('settings')
    await tabTo(page, page.getByRole('link', { name: 'Change the due dates' }))
    await page.keyboard.press('Enter')
    await press(page, 'Add to Policies')
    await type(page, 'Critical', '7')
    await type(page, 'High', '30')
    await press(page, 'Save the due dates')
    await page.getByText('Critical 7 days, High 30 days').waitFor()
    expect(await ask('GET', '/semantic/sla')).toMatchObject({ policies: [{ days: { CRITICAL: 7, HIGH: 30 } }] })
    await press(page, /^Undo/)
    await page.getByText('No finding is due by a date.').waitFor()
    expect(await ask('GET', '/semantic/sla')).toMatchObject({ policies: [] })
  })

  test('suppresses findings, and ends that again', async () => {
    const page = await open('settings')
    await follow(page, 'Add a suppression')
    await page.getByLabel('Reason').fill('Handled elsewhere')
    await click(page, /^Severity/)
    await page.getByLabel('Low', { exact: true }).check()
    const list = () => ask<{ items: { filters: object }[] }>('GET', '/suppressions')
    const { total } = await ask<{ total: number }>('GET', '/findings?severities=LOW&statuses=OPEN&total=true&limit=1')
    const matched = toNumber(total)
    await expect.poll(() => page.locator('.total').innerText()).toBe(matched)
    await click(page, 'Suppress')
    await page.getByText(`${matched} findings suppressed`).waitFor()
    expect((await list()).items.map(({ filters }) => filters)).toEqual([{ severities: ['LOW'] }])
    expect(await inspect(page)).toEqual([])
    await click(page, /^Delete/)
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await expect.poll(async () => (await list()).items.length).toBe(0)
  })

  interface Tiles {
    placements: { metricSlug: string; size: string; chartType: string; pinnedFilters: object | null }[]
  }
  const tilesOf = async (name: string) => (await ask<Tiles>('GET', `/semantic/dashboards/${name}`)).placements
  const slugsOf = async (name: string) => (await tilesOf(name)).map(({ metricSlug }) => metricSlug)

  test('makes a dashboard, and adds, sizes, filters and moves its tiles by keyboard and by mouse', async () => {
    const page = await open('?edit=new')
    await page.getByLabel('Name of the dashboard').fill('board')
    await page.getByLabel('Metric').selectOption('open-findings')
    await click(page, 'Add a tile')
    await page.getByRole('button', { name: 'Remove Open findings' }).waitFor()
    for (const [slug, name] of [
      ['new-findings', 'New findings'],
      ['resolution-rate', 'Resolution rate'],
    ] as const) {
      await page.getByLabel('Metric').selectOption(slug)
      await click(page, 'Add a tile')
      await page.getByRole('button', { name: `Remove ${name}` }).waitFor()
    }
    expect(await slugsOf('board')).toEqual(['open-findings', 'new-findings', 'resolution-rate'])
    await press(page, 'Move Open findings later')
    await expect.poll(() => slugsOf('board')).toEqual(['new-findings', 'open-findings', 'resolution-rate'])
    const tile = (name: string) => page.locator('.editor > li', { hasText: name })
    await tile('Resolution rate').locator('h2').dragTo(tile('New findings').locator('h2'))
    await expect.poll(() => slugsOf('board')).toEqual(['resolution-rate', 'new-findings', 'open-findings'])
    await page.getByLabel('Size of Open findings').selectOption('xl')
    await page.getByLabel('Chart of Open findings').selectOption('line')
    await click(page, 'Filter Open findings')
    await click(page, /^Severity/)
    await page.getByLabel('High', { exact: true }).check()
    expect(await inspect(page)).toEqual([])
    await click(page, 'Pin the filters')
    await page.getByText('Filters pinned').waitFor()
    const placed = (await tilesOf('board')).find(({ metricSlug }) => metricSlug === 'open-findings')
    expect(placed).toMatchObject({ size: 'xl', chartType: 'line', pinnedFilters: { severities: ['HIGH'] } })
    await click(page, 'Remove New findings')
    await expect.poll(() => slugsOf('board')).toEqual(['resolution-rate', 'open-findings'])
    await click(page, /^Undo/)
    await expect.poll(() => slugsOf('board')).toEqual(['resolution-rate', 'new-findings', 'open-findings'])
  })

  test('compares all tiles over a period, and sees on one click where a change comes from', async () => {
    const page = await open('?d=board&range=90d')
    await page.locator('.place.xl .spark svg').waitFor()
    expect(await inspect(page)).toEqual([])
    const question = page.waitForRequest((request) => request.url().endsWith('/semantic/query'))
    await click(page, 'Why did New findings change')
    const asked = (await question).postDataJSON() as { from: string; to: string; compare: object; explain: boolean }
    expect(asked).toMatchObject({ metricSlug: 'new-findings', explain: true })
    interface Explained {
      value: number
      comparison: { value: number }
      drivers: { dimension: string; contribution: number }[]
      driverDimensions: { dimension: string }[]
    }
    const answer = await ask<Explained>('POST', '/semantic/query', asked)
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`${toNumber(answer.comparison.value)} →`).waitFor()
    const first = answer.driverDimensions.slice(0, 3).map(({ dimension }) => dimension)
    const expected = answer.drivers.filter(({ dimension }) => first.includes(dimension)).length
    expect(await dialog.locator('tbody tr').count()).toBe(expected)
    expect(await inspect(page)).toEqual([])
  })

  test('deletes a dashboard', async () => {
    const page = await open('?d=board&edit=1')
    await confirm(page, 'Delete the dashboard')
    await page.waitForURL(/console\/$/)
    const { items } = await ask<{ items: { name: string }[] }>('GET', '/semantic/dashboards')
    expect(items.map(({ name }) => name)).not.toContain('board')
  })

  const config = {
    type: 'WIKI',
    required: { base_url: 'https://wiki.example', account_email: 'ada@wiki.example' },
    masked: { api_token: 'a-token-of-the-wiki' },
  }

  test('sees what somebody else changed in the same source, and decides which is kept', async () => {
    await ask('POST', '/sources', { name: 'Shared', config })
    const page = await open('sources/Shared?edit=1')
    await page.getByLabel('Name').fill('Shared wiki')
    await ask('PUT', '/sources/Shared', { config: { sampling: { limit: 7 } } })
    await click(page, 'Save')
    const alert = page.getByRole('alert')
    await alert.getByText('Someone else has changed this').waitFor()
    expect(await alert.innerText()).toContain('7')
    expect(await inspect(page)).toEqual([])
    await click(page, 'Save mine all the same')
    await page.waitForURL('**/sources/Shared%20wiki')
    expect(await ask('GET', '/sources/Shared%20wiki')).toMatchObject({ config: { sampling: { limit: 7 } } })
  })

  test('loses nothing when the server does not answer, and saves when it does', async () => {
    const page = await open('sources/Shared%20wiki?edit=1')
    await page.getByText('How much is scanned').click()
    await page.getByLabel('Limit', { exact: true }).fill('9')
    let isGone = true
    await page.route('**/sources/*', (route) => (isGone ? route.abort() : route.continue()))
    await click(page, 'Save')
    await page.getByText('Nothing that you typed is lost').waitFor()
    expect(await inspect(page)).toEqual([])
    expect(await page.getByLabel('Limit', { exact: true }).inputValue()).toBe('9')
    isGone = false
    await click(page, 'Save')
    await page.getByRole('heading', { name: 'Shared wiki', exact: true }).waitFor()
    expect(await ask('GET', '/sources/Shared%20wiki')).toMatchObject({
      config: { sampling: { limit: 9 }, masked: { api_token: '********' } },
    })
  })

  test('deletes a source after its consequences were shown', async () => {
    const page = await open('sources/Shared%20wiki')
    await click(page, 'Delete')
    await page.getByText('This cannot be undone').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL('**/console/sources')
    expect(await ask('GET', '/sources/Shared%20wiki')).toMatchObject({ code: 'not_found' })
  })

  test('imports a file that was chosen, once its effect was shown', async () => {
    const page = await open('sources')
    const leak = { RuleID: 'chosen-key', File: 'chosen.env', Secret: 'kX82mQ0vR41zLp', StartLine: 3, Commit: '' }
    const chooser = page.waitForEvent('filechooser')
    await page.getByLabel('Import a file').press('Enter')
    await (await chooser).setFiles({
      name: 'leaks.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify([leak])),
    })
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Source').fill('chosen')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('chosen.env').waitFor()
    expect(await inspect(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('link', { name: 'chosen' }).waitFor()
  })

  test('takes over what the server corrects, and nothing of pasted JSON is left out in silence', async () => {
    const page = await open('glossary?add=1')
    await page.getByText('As JSON').click()
    const pasted = { slug: 'pasted', displayName: 'Pasted', filterMapping: { severity: ['HIGH'] } }
    await page.getByRole('textbox', { name: 'As JSON' }).fill(JSON.stringify(pasted))
    await click(page, 'Add the term')
    await page.locator('.note.bad').getByText('severity').first().waitFor()
    expect(await ask('GET', '/semantic/glossary/pasted')).toMatchObject({ code: 'not_found' })
    await click(page, 'Use the corrected values')
    await page.getByRole('button', { name: /^Severity\s*High/ }).waitFor()
    await click(page, 'Add the term')
    await page.waitForURL('**/glossary/pasted')
    expect(await ask('GET', '/semantic/glossary/pasted')).toMatchObject({ filterMapping: { severities: ['HIGH'] } })
  })

  test('changes what a metric is made of with its kind', async () => {
    const page = await open('metrics?add=1')
    await page.getByLabel('Display name').fill('Share of critical')
    await page.getByLabel('Kind', { exact: true }).selectOption('RATIO')
    const denominator = page.getByRole('group', { name: 'Denominator', exact: true })
    await denominator.getByRole('button', { name: 'Another metric' }).click()
    await denominator.getByLabel('Metric', { exact: true }).selectOption('total-findings')
    await page.getByText('divided by the metric total-findings').waitFor()
    await page.locator('.aside .figure b').waitFor()
    expect(await inspect(page)).toEqual([])
    await click(page, 'Add the metric')
    await page.waitForURL('**/metrics/share-of-critical')
    expect(await ask('GET', '/semantic/metrics/share-of-critical')).toMatchObject({
      type: 'RATIO',
      definition: { numerator: { aggregation: 'COUNT' }, denominator: { metricSlug: 'total-findings' } },
    })
  })

  // The paths of what a form has; the server refuses each form when it is empty and when it is full of nonsense.
  test.each([
    ['glossary?add=1', 'Add the term'],
    ['metrics?add=1', 'Add the metric'],
    ['watches?add=1', 'Add the watch'],
    ['settings?edit=suppression', 'Suppress'],
    ['settings?edit=token', 'Create the token'],
    ['sources?add=wiki', 'Add the source'],
    ['sources?add=bi', 'Add the source'],
  ])('is told at %s what is wrong with each field', async (path, save) => {
    const page = await open(path)
    for (const isFull of [false, true]) {
      if (isFull) {
        for (const summary of await page.locator('form summary').all()) await summary.click()
        for (const field of await page.locator('form :is(input[type=text], textarea:not(.json))').all()) {
          await field.fill('no such thing!')
        }
      }
      const answering = page.waitForResponse(
        (response) =>
          response.request().method() === 'POST' && !response.ok() && !/\/query|\/preview/.test(response.url()),
      )
      await click(page, save)
      const { detail, issues } = (await (await answering).json()) as {
        detail: string
        issues: { path: string; message: string }[]
      }
      expect(issues.length, detail).toBeGreaterThan(0)
      await page.locator('.note.bad').getByText(detail, { exact: true }).last().waitFor()
      for (const { path: at, message } of issues) {
        // What is wrong with a line of a list is said under the list.
        const key = at.replaceAll(/\[(\d+)\]/g, '.$1')
        const field = page.locator(`[id="under-${key}"], [id="under-${key.replace(/\.\d+$/, '')}"]`).last()
        expect([at, (await field.count()) > 0 ? await field.textContent() : 'no field']).toEqual([
          at,
          expect.stringContaining(message),
        ])
      }
      expect(await inspect(page)).toEqual([])
    }
  })

  // Last, because from then on every request needs a token.
  test('creates a token, which is shown once; what is typed stays when a session ends', async () => {
    const page = await open('settings')
    await follow(page, 'Create a token')
    await page.getByText('This is the first token').waitFor()
    await page.getByLabel('Name').fill('Lead')
    await click(page, 'Create the token')
    const dialog = page.getByRole('dialog')
    const token = await dialog.locator('.secret').innerText()
    expect(token).toMatch(/^assay_/)
    expect(await inspect(page)).toEqual([])
    await dialog.getByRole('button', { name: 'I have it' }).click()
    await page.getByText('HTTP needs one').waitFor()
    expect(await page.content()).not.toContain(token)

    await follow(page, 'Create a token')
    await page.getByLabel('Name').fill('Robot')
    await page.getByLabel('Read', { exact: true }).check()
    await page.evaluate("sessionStorage.setItem('assay.token', 'assay_ended')")
    await click(page, 'Create the token')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await inspect(page)).toEqual([])
    await page.getByLabel('Token', { exact: true }).fill(token)
    await click(page, 'Sign in')
    await page.getByRole('heading', { name: 'Create a token' }).waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('Robot')
    await click(page, 'Create the token')
    await page.getByRole('dialog').getByRole('button', { name: 'I have it' }).click()
    await page.getByText('Robot', { exact: true }).waitFor()
    await click(page, /^Revoke the token “Robot”/)
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await expect
      .poll(async () => {
        const { items } = await ask<{ items: { name: string; status: string }[] }>('GET', '/tokens', undefined, token)
        return items.map(({ name, status }) => `${name} ${status}`)
      })
      .toEqual(['Lead active', 'Robot revoked'])
  })
})

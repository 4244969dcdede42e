import { join } from 'node:path'
import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createToken } from '../../src/access/tokens.ts'
import { sampleCredentials } from '../../src/sample/credentials.ts'
import { Store } from '../../src/store/store.ts'
import { type SampleWiki, startSampleWiki } from '../sample/servers.ts'
import { localPerson } from '../support/context.ts'
import { generate, hasBrowser, inspect, launch, Pages, type Served, serve } from './harness.ts'

let browser: Browser
let served: Served
let pages: Pages
let wiki: SampleWiki

const refused = /Failed to load resource/
const open = (path: string, options: Parameters<Pages['open']>[1] = {}) => pages.open(path, options)

/** Changes the answers to a path once the server has given them. */
async function change(page: Page, path: string, edit: (answer: string) => string): Promise<void> {
  await page.route(`**${path}`, async (route: Route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: edit(await response.text()) })
  })
}

/** Changes the questions about one metric before the server gets them. */
async function editQuestion(page: Page, edit: (question: string) => string): Promise<void> {
  await page.route('**/semantic/query/view', (route) =>
    route.continue({ postData: edit(route.request().postData() ?? '') }),
  )
}

/** Answers a path with a problem until the returned function is called. */
async function fail(page: Page, path: string, status: number, body: object = {}, headers = {}): Promise<() => void> {
  let isOver = false
  await page.route(`**${path}`, (route: Route) =>
    isOver
      ? route.continue()
      : status === 0
        ? route.abort()
        : route.fulfill({ status, headers, contentType: 'application/problem+json', body: JSON.stringify(body) }),
  )
  return () => {
    isOver = true
  }
}

describe.skipIf(!hasBrowser)('states of the console:', { timeout: 90_000 }, () => {
  beforeAll(async () => {
    ;[browser, served, wiki] = await Promise.all([launch(), serve(), startSampleWiki()])
    pages = new Pages(browser, served.origin)
  })
  afterAll(async () => {
    await Promise.all([browser?.close(), served?.close(), wiki?.close()])
  })
  afterEach(() => pages.finish())

  test('the address of the server leads to the console', async () => {
    const { headers } = await fetch(served.origin, { redirect: 'manual' })
    expect(headers.get('location')).toBe('/console/')
  })

  test('a mistake in an address is said, with the corrected link, and asks nothing', async () => {
    const page = await open('/console/explore?metric=open-findings&from=2026-02-30&severty=HIGH', { unsettled: true })
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.getByText('“2026-02-30” is not an existing date').waitFor()
    expect(await inspect(page)).toEqual([])
    expect(asked.filter((url) => url.includes('/semantic/query'))).toEqual([])
    await page.getByRole('link', { name: 'Open the corrected address' }).click()
    await page.waitForURL(/explore\?metric=open-findings&from=2026-02-28&severity=HIGH/)
  })

  test('there is no source: how to begin, and never 0', async () => {
    const page = await open('/console/', { unsettled: true })
    await page.getByText('Nothing to look at yet').waitFor()
    expect(await page.locator('.figure').count()).toBe(0)
    expect(await inspect(page)).toEqual([])
    const findings = await open('/console/findings')
    await findings.getByText('Nothing has been scanned yet').waitFor()
    expect(await findings.locator('.count').innerText()).toBe('')
    expect(await inspect(findings)).toEqual([])
    await page.getByRole('link', { name: 'Add a wiki' }).click()
    await page.getByLabel('API token').waitFor()
  })

  test('a source is added: its secret goes out once and never comes back, and its scan is followed to the end', async () => {
    const page = await open('/console/sources?add=1')
    await page.getByLabel('Name').fill('Team wiki')
    await page.getByLabel('Address', { exact: true }).fill('no address')
    await page.getByLabel('Email address').fill(sampleCredentials.accountEmail)
    const secret = page.getByLabel('API token')
    expect(await secret.getAttribute('type')).toBe('password')
    await secret.fill(sampleCredentials.apiToken)
    const refusal = page.waitForResponse((response) => response.status() === 400)
    pages.allow(refused)
    await page.getByRole('button', { name: 'Add the source' }).click()
    await refusal
    await page.locator('[aria-invalid=true]').waitFor()
    expect(await inspect(page)).toEqual([])
    await page.getByLabel('Address', { exact: true }).fill(wiki.url)
    await page.getByText('More settings').click()
    await page.getByText('Scope', { exact: true }).click()
    await page.getByText('Spaces', { exact: true }).click()
    await page.getByLabel('Keys').fill('PEOPLE\nRETAIL')
    await page.getByRole('button', { name: 'Add the source' }).click()
    await page.waitForURL(/sources\/Team%20wiki/)
    await page.getByText('was never scanned').waitFor()
    await page.getByText('stored, never shown').waitFor()
    await page.getByRole('button', { name: 'Test the connection' }).click()
    await page.locator('.steps-list .good').first().waitFor()
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    expect(await page.getByLabel('API token').inputValue()).toBe('')
    expect(await page.getByLabel('Address', { exact: true }).inputValue()).toBe(wiki.url)
    await page.getByText('Schedule', { exact: true }).click()
    await page.getByLabel('Enabled').check()
    await page.getByLabel('Preset').selectOption('weekly')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('was never scanned').waitFor()
    expect(await page.content()).not.toContain(sampleCredentials.apiToken)

    const overview = await open('/console/')
    await overview.getByText('no scan has ended').waitFor()
    expect(await overview.locator('.numbers-list .figure b').first().innerText()).toBe('–')

    // The wiki is slow, so that the scan is still running when other pages are opened.
    // What it finds meanwhile changes the pages.
    pages.allow(/Failed to load resource|layout shift/)
    const isLate = { isOver: false }
    const wait = { delayMs: 150 }
    wiki.faults.push({ match: () => !isLate.isOver, respond: wait })
    await page.getByRole('button', { name: 'Scan now' }).click()
    await page.getByText('Scan in progress').waitFor()
    await overview.reload()
    await overview.getByText('Still scanning Team wiki').waitFor()
    expect(await overview.locator('.figure b', { hasText: /^0$/ }).count()).toBe(0)
    expect(await inspect(overview, '.title')).toEqual([])
    // Numbers of another source are there already.
    await served.importLines('archive', generate(40))
    const explore = await open('/console/explore?metric=open-findings')
    await explore.getByText('Still scanning Team wiki').waitFor()
    await explore.locator('.tile[aria-pressed=true] .figure', { hasText: 'so far' }).waitFor()
    expect(await inspect(explore, '.view')).toEqual([])
    const spaces = page.getByRole('region', { name: 'Spaces and workspaces' }).locator('tbody tr')
    let bars: [label: string, done: number][] = []
    const hasSpace = async () => {
      bars = await page
        .getByRole('progressbar')
        .evaluateAll((all) => all.map((bar) => [bar.ariaLabel ?? '', (bar as HTMLProgressElement).value]))
      return bars.some(([label, done]) => /^Items read of (?:People|Retail)$/.test(label) && done > 0)
    }
    await expect.poll(hasSpace, { timeout: 30_000 }).toBe(true)
    wait.delayMs = 20
    const [all = ['', 0], ...others] = bars
    expect(all[0]).toBe('Items read')
    expect(all[1]).toBeGreaterThanOrEqual(Math.max(...others.map(([, done]) => done)))
    expect(await spaces.locator('th').allInnerTexts()).toEqual(['People', 'Retail'])
    isLate.isOver = true
    await page.locator('.card .badge.good', { hasText: 'Completed' }).first().waitFor({ timeout: 60_000 })
    const { items: scans } = await served.ask<{ items: { id: string }[] }>('GET', '/scans?source=Team%20wiki')
    const { scopes } = await served.ask<{ scopes: { name: string; scanned: number; discovered: number }[] }>(
      'GET',
      `/scans/${scans[0]?.id}`,
    )
    expect(
      await spaces.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent))),
    ).toEqual(scopes.map(({ name, scanned, discovered }) => [name, 'Complete ', `${scanned} of ${discovered}`]))
    expect(scopes.every(({ scanned }) => scanned > 1)).toBe(true)
    const { items } = await served.ask<{ items: { name: string; counts: { openFindings: number; assets: number } }[] }>(
      'GET',
      '/sources',
    )
    const counts = items.find(({ name }) => name === 'Team wiki')?.counts
    await page.getByText(`${counts?.openFindings} open findings in ${counts?.assets} assets`).waitFor()
    // Pages with marked numbers follow the scan, too.
    await expect.poll(() => overview.getByText('Still scanning').count()).toBe(0)
    expect(await overview.getByText('so far').count()).toBe(0)
    expect(counts?.openFindings).toBeGreaterThan(10)
    // The stored secret was kept by the change of the schedule, or the scan could not have signed in.
    expect(await page.locator('.pairs').getByText('next scan').count()).toBe(1)
    expect(await inspect(page)).toEqual([])
  })

  test('a dropped file shows what it would change, and is imported after that', async () => {
    const page = await open('/console/findings?status=all')
    const before = (await served.ask<{ total: number }>('GET', '/findings?limit=1&total=true')).total
    const leak = { RuleID: 'dropped-key', File: 'dropped.env', Secret: 'kX82mQ0vR41zLp', StartLine: 3, Commit: '' }
    await page.evaluate(
      (text) => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File([text], 'leaks.json'))
        document.querySelector('main')?.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }))
      },
      JSON.stringify([leak]),
    )
    const dialog = page.getByRole('dialog', { name: 'Import leaks.json' })
    await dialog.getByLabel('Source').fill('dropped')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('dropped.env').waitFor()
    expect(await dialog.getByRole('status').textContent()).toMatch(/1 new, 0 again, 0 resolved/)
    const total = async () => (await served.ask<{ total: number }>('GET', '/findings?limit=1&total=true')).total
    expect(await total()).toBe(before)
    await dialog.getByRole('button', { name: 'Import', exact: true }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await total()).toBe(before + 1)
  })

  test('nothing matches: why, and a button for each filter in the way', async () => {
    const page = await open('/console/explore?metric=open-findings&severity=CRITICAL&container=Nowhere')
    await page.getByRole('button', { name: 'Without space or workspace' }).click()
    await page.waitForURL((url) => !url.search.includes('container'))
    const list = await open('/console/findings?container=Nowhere', { unsettled: true })
    await list.getByText('Nothing matches.').waitFor()
    expect(await inspect(list, 'main')).toEqual([])
    await list.getByRole('button', { name: 'Without space or workspace' }).click()
    await list.locator('.rows li').first().waitFor()
  })

  test('a metric is drifted, draft or deprecated, and its data stale: badges and an age say so', async () => {
    const tiers = { drifted: 'Drifted', draft: 'Draft', deprecated: 'Deprecated' }
    let shownTier = 'drifted'
    const page = await open('/console/explore?metric=open-findings', {
      prepare: (shown) =>
        change(shown, '/semantic/query/view', (answer) =>
          answer.replaceAll('"tier":"certified"', `"tier":"${shownTier}"`).replaceAll('"stale":false', '"stale":true'),
        ),
    })
    await page.locator('.counted .stale', { hasText: 'stale' }).first().waitFor()
    expect(await inspect(page, '.counted')).toEqual([])
    for (const [tier, badge] of Object.entries(tiers)) {
      shownTier = tier
      await page.keyboard.press('c')
      await page.locator('.title .badge', { hasText: badge }).waitFor()
    }
    expect(await inspect(page, '.title')).toEqual([])
  })

  test('a metric is deprecated: its page says why, and leads to its successor', async () => {
    const definition = { aggregation: 'COUNT', entity: 'finding' }
    await served.ask('POST', '/semantic/metrics', { slug: 'old', displayName: 'Old', type: 'SIMPLE', definition })
    await served.ask('POST', '/semantic/metrics/old/deprecate', { replacedBy: 'open-findings', reason: 'Too broad' })
    const page = await open('/console/metrics/old')
    expect(await page.locator('.note').innerText()).toMatch(/^Deprecated: Too broad\.\s+Its successor/)
    expect(await inspect(page)).toEqual([])
    await page.getByRole('link', { name: 'Its successor is open-findings' }).click()
    await page.waitForURL('**/console/metrics/open-findings')
    await page.getByRole('heading', { name: 'Open findings', level: 1 }).waitFor()
    expect(await page.locator('.note').count()).toBe(0)
  })

  test('a question is refused: the sentence, and what was meant as a button', async () => {
    const page = await open('/console/explore?metric=open-findigs', { unsettled: true, allowed: refused })
    await page.getByRole('alert').getByRole('link', { name: 'Open findings', exact: true }).click()
    await page.waitForURL(/metric=open-findings/)
    await page.locator('.figure').first().waitFor()
    await page.goto(`${pages.origin}/console/explore?metric=Open-Finding`)
    await page.waitForURL(/metric=open-findings/)
    await page.locator('.tile[aria-pressed=true]', { hasText: 'Open findings' }).waitFor()
  })

  test('a question can be corrected: a button asks the corrected one', async () => {
    const page = await open('/console/explore?metric=pii-exposure', { unsettled: true, allowed: refused })
    const links = page.getByRole('alert').getByRole('link')
    const term = links.filter({ hasText: 'Open the term pii-exposure' })
    await term.waitFor()
    expect(await inspect(page)).toEqual([])
    await term.click()
    await page.waitForURL('**/console/glossary/pii-exposure')
    await page.locator('section[aria-label=Covers]').waitFor()

    const address = 'explore?metric=open-findings&range=90d&tz=Europe/Zurich'
    await page.goto(`${pages.origin}/console/${address}&container=HR&term=critical`)
    await links.filter({ hasText: 'Ask with severity CRITICAL instead' }).click()
    await page.locator('.figure').first().waitFor()
    const { searchParams } = new URL(page.url())
    expect(Object.fromEntries(searchParams)).toEqual({
      metric: 'open-findings',
      range: '90d',
      tz: 'Europe/Zurich',
      container: 'HR',
      severity: 'CRITICAL',
    })
    // A name that is only similar is suggested as what it was asked as.
    await page.goto(`${pages.origin}/console/${address}&term=pii-exposur`)
    await links.first().click()
    await page.waitForURL(/metric=open-findings.*term=pii-exposure$/)
    await page.locator('.figure').first().waitFor()

    const filters = { exclude: { severities: ['LOW'] } }
    const fix = { tool: 'explore_view', arguments: { metricSlug: 'open-findings', filters } }
    await fail(page, '/semantic/query/view', 400, { detail: 'It cannot be shown.', fix })
    await page.reload()
    await page.getByText('It cannot be shown.').waitFor()
    expect(await links.count()).toBe(0)
  })

  test('one metric beside others fails: in its tile only', async () => {
    const page = await open('/console/explore?metric=open-findings', {
      prepare: (shown) => editQuestion(shown, (question) => question.replace('"affected-assets"', '"no-such"')),
    })
    await page.locator('.tile', { hasText: /no metric|no-such/i }).waitFor()
    expect(await page.locator('.tile .figure').count()).toBe(4)
    expect(await inspect(page, '.tile')).toEqual([])
    const term = await open('/console/explore?metric=open-findings', {
      prepare: (shown) =>
        editQuestion(shown, (question) => question.replace('"affected-assets"', '"security-threats"')),
    })
    const link = term.locator('.tile a', { hasText: 'Open the term security-threats' })
    await link.waitFor()
    expect(await inspect(term, '.tile')).toEqual([])
    await link.click()
    await term.waitForURL('**/console/glossary/security-threats')
  })

  test('the server is busy: it waits as long as it was asked to', async () => {
    let end = () => {}
    const page = await open('/console/explore?metric=open-findings', {
      unsettled: true,
      allowed: refused,
      prepare: async (shown) => {
        end = await fail(shown, '/semantic/query/view', 429, { detail: 'Too many questions.' }, { 'retry-after': '1' })
      },
    })
    await page.getByText('Too many questions.').waitFor()
    end()
    await page.locator('.figure').first().waitFor()
    expect(await page.getByText('Too many questions.').count()).toBe(0)
  })

  test('the server is gone: a bar, the old numbers with their age, and new ones when it is back', async () => {
    // All of it happens within one minute, as the next one has a question of its own.
    const start = Math.ceil(Date.now() / 60_000) * 60_000
    const page = await open('/console/explore?metric=open-findings', {
      allowed: refused,
      prepare: async (shown) => {
        await shown.clock.install({ time: start })
        await shown.addInitScript(`
          const send = fetch
          let attempts = 0
          globalThis.readAttempts = () => attempts
          globalThis.fetch = (...request) => {
            attempts += 1
            return send(...request)
          }
        `)
      },
    })
    const before = await page.locator('[aria-pressed=true] .figure b').innerText()
    const end = await fail(page, '/semantic/query/view', 0)
    await page.clock.pauseAt(start + 15_000)
    await page.locator('section[aria-label=Severity] .entry').first().click()
    const bar = page.locator('.banner.bad')
    await bar.getByText('The server does not answer; trying again.').waitFor()
    const readAge = async () => Number(/What is shown is ([\d.]+) s old/.exec(await bar.innerText())?.[1])
    let age = await readAge()
    expect(age).toBeGreaterThan(0)
    expect(age).toBeLessThanOrEqual(15)
    const readAttempts = () => page.evaluate<number>('readAttempts()')
    const attempts = await readAttempts()
    for (const [index, seconds] of [1, 2, 4, 8, 10, 10].entries()) {
      await page.clock.runFor(seconds * 1000 - 100)
      expect(await readAttempts()).toBe(attempts + index)
      await page.clock.runFor(100)
      expect(await readAttempts()).toBe(attempts + index + 1)
      // The age is that at the last attempt.
      await expect.poll(readAge).not.toBe(age)
      expect(Math.abs((await readAge()) - age - seconds)).toBeLessThan(1)
      age = await readAge()
    }
    expect(await page.locator('[aria-pressed=true] .figure b').innerText()).toBe(before)
    await page.clock.resume()
    expect(await inspect(page, '.banner')).toEqual([])
    end()
    await page.clock.fastForward(10_000)
    await expect.poll(() => page.locator('[aria-pressed=true] .figure b').innerText()).not.toBe(before)
    expect(await bar.count()).toBe(0)
  })

  test('texts are withheld: a banner says so', async () => {
    const page = await open('/console/findings', {
      prepare: (shown) => change(shown, '/session', (answer) => answer.replace('"lockdown":false', '"lockdown":true')),
    })
    await page.getByText('Lockdown: texts').waitFor()
    expect(await inspect(page, '.banner')).toEqual([])
  })

  // Last, because from then on every request needs a token.
  test('a token is needed or lacks a scope: the address stays, what its scopes forbid is not shown, and the scope needed is named', async () => {
    const store = Store.open(join(served.home, 'assay.db'), { now: Date.now })
    const { token } = createToken({ store, caller: localPerson, now: Date.now }, { name: 'reader', scopes: ['read'] })
    store.close()
    const page = await open('/console/sources?x=1', { unsettled: true, allowed: refused })
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await inspect(page)).toEqual([])
    await page.getByLabel('Token').fill('assay_wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('.bad-text').waitFor()
    await page.getByLabel('Token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Team wiki').waitFor()
    expect(page.url()).toContain('/console/sources?x=1')
    expect(await page.getByRole('button', { name: 'Scan now' }).count()).toBe(0)
    expect(await page.getByText('Add a source').count()).toBe(0)
    const row = await open('/console/findings', {
      unsettled: true,
      prepare: async (shown) => {
        await shown.addInitScript(`sessionStorage.setItem('assay.token', ${JSON.stringify(token)})`)
        // The page believes that it may decide, as when a scope was taken away meanwhile.
        await change(shown, '/session', (answer) => answer.replace('"scopes":["read"]', '"scopes":["read","triage"]'))
      },
    })
    await row.locator('.finding').first().click()
    await row.keyboard.press('r')
    await row.getByText(/requires the scope 'triage'/).waitFor()
    expect(await row.locator('.rows .done').count()).toBe(0)
    const { items } = await served.ask<{ items: { id: string; status: string }[] }>(
      'GET',
      '/findings?limit=1',
      undefined,
      token,
    )
    expect(items[0]?.status).toBe('OPEN')
    await fail(page, '/sources', 403, { detail: "Sources require the scope 'admin'; use a token that has it." })
    await page.reload()
    await page.getByText(/require the scope 'admin'/).waitFor()
    expect(await inspect(page, 'main')).toEqual([])
    await page.getByRole('button', { name: 'Use another token' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(page.url()).toContain('/console/sources?x=1')
    expect(await page.evaluate('document.cookie')).toBe('')
    expect(await page.evaluate('localStorage.length')).toBe(0)
    const other = await open('/console/findings', { unsettled: true, allowed: refused })
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
  })
})

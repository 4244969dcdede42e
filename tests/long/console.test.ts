import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { assay, hasBrowser, inspect, launch, main, Pages, type Served, serve, settled } from '../console/harness.ts'

// Axe on every page and state of the console on the demo.

/** A data folder as the demo leaves it. */
async function makeDemo(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'assay-demo-'))
  const demo = spawn(process.execPath, [main, 'demo', '--once', '--home', home], { stdio: 'ignore' })
  await once(demo, 'exit')
  return home
}

/** What is opened on a page before it is inspected. */
type Act = (page: Page) => Promise<unknown>
const press =
  (...keys: string[]): Act =>
  async (page) => {
    for (const key of keys) await page.keyboard.press(key)
  }
const states: readonly [string, Act?][] = [
  [''],
  ['', press('/')],
  ['', press('?')],
  ['explore'],
  ['explore?range=30d&metric=false-positive-rate'],
  ['explore?severity=CRITICAL&brush=2026-01-01..2026-03-01&compare=off'],
  ['explore?container=Nowhere'],
  ['explore', (page) => page.getByRole('button', { name: 'Show as table' }).click()],
  ['explore', (page) => page.getByText('What was counted').click()],
  ['explore', (page) => page.getByText('Share').click()],
  ['explore', (page) => page.getByText('Export').click()],
  ['explore', (page) => page.hover('.plot svg')],
  ['findings'],
  ['findings?status=all'],
  ['findings?container=Nowhere'],
  ['findings', press('j')],
  ['findings', press('j', 'x', 'J')],
  ['findings', press('j', 'f')],
  ['findings', press('j', 'i')],
  ['sources'],
  ['sources?add=1'],
  ['sources/sample-wiki'],
  ['sources/sample-history'],
  ['glossary'],
  ['glossary/pii-exposure'],
  ['metrics'],
  ['metrics/open-findings'],
  ['metrics/every-finding?v=1..2'],
  ['watches'],
  ['watches/critical'],
  ['nowhere'],
]

describe.skipIf(!hasBrowser)('axe', { timeout: 600_000 }, () => {
  let browser: Browser
  let served: Served
  let pages: Pages
  beforeAll(async () => {
    ;[browser, served] = await Promise.all([launch(), makeDemo().then((home) => serve(undefined, home))])
    pages = new Pages(browser, served.origin)
    const counting = { aggregation: 'COUNT', entity: 'finding' }
    const metric = { type: 'SIMPLE', definition: counting, displayName: 'Every finding' }
    await served.ask('POST', '/semantic/metrics', { slug: 'every-finding', ...metric })
    const definition = { ...counting, filters: { severities: ['HIGH', 'CRITICAL'] } }
    await served.ask('PUT', '/semantic/metrics/every-finding', { definition })
    const condition = { kind: 'above', value: 1 }
    const watch = { displayName: 'Critical findings', metricSlug: 'critical-open-findings', dimensions: ['container'] }
    await served.ask('POST', '/semantic/watches', { slug: 'critical', ...watch, condition })
    await served.ask('POST', '/semantic/watches/check', {})
    await served.ask('PUT', '/semantic/sla', { policies: [{ days: { CRITICAL: 7, HIGH: 30 } }] })
  }, 300_000)
  afterAll(async () => {
    await Promise.all([browser?.close(), served?.close()])
  })
  afterEach(() => pages.finish())

  describe.each([1440, 390])('at %i px', (width) => {
    test.each(['light', 'dark'] as const)(
      'in %s colours finds nothing on any page in any state',
      async (colorScheme) => {
        const page = await pages.open('/console/', { viewport: { width, height: 844 }, colorScheme })
        const found: string[] = []
        for (const [path, act] of states) {
          await page.goto(`${pages.origin}/console/${path}`)
          if (path === 'nowhere') await page.getByText('There is no page').waitFor()
          else await settled(page)
          await act?.(page)
          // Panels appear with a request of their own.
          await page.waitForTimeout(200)
          for (const fault of await inspect(page)) found.push(`${path}: ${fault}`)
        }
        expect(found).toEqual([])
      },
    )
  })

  // Last, because from then on every request needs a token.
  test('finds nothing on the page to sign in', async () => {
    assay('token', 'create', '--name', 'reader', '--scope', 'read', '--home', served.home)
    for (const width of [1440, 390]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await pages.open('/console/', {
          viewport: { width, height: 844 },
          colorScheme,
          unsettled: true,
          allowed: /Failed to load resource/,
        })
        await page.getByRole('heading', { name: 'Sign in' }).waitFor()
        expect(await inspect(page)).toEqual([])
      }
    }
  })
})

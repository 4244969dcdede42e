import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const main = join(root, 'dist', 'main.js')
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
const hasBrowser = existsSync(executablePath)
if (!hasBrowser) {
  process.stderr.write(`browser tests of the console are skipped: there is no ${executablePath}; install chromium\n`)
}
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

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

let home = ''
let server: ChildProcess
let origin = ''
let browser: Browser
let context: BrowserContext
let faults: string[] = []

/** A page in a new profile; whatever goes wrong on it, or leaves this server, is a fault. */
async function openPage(path: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, bypassCSP: false, ...options })
  const page = await context.newPage()
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) faults.push(request.url())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  page.on('dialog', (dialog) => {
    faults.push(`dialog ${dialog.message()}`)
    dialog.dismiss()
  })
  await page.goto(`${origin}${path}`)
  await settled(page)
  return page
}

const settled = (page: Page) => page.waitForSelector('main[aria-busy="false"], main:not([aria-busy]) .figure')

async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${origin}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  return (await response.json()) as Answer
}

describe.skipIf(!hasBrowser)('the console in a browser', { timeout: 90_000 }, () => {
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'assay-console-'))
    const lines = execFileSync(process.execPath, [main, 'generate', '--findings', '1500', '--seed', '7'], {
      maxBuffer: 64 * 1024 * 1024,
    })
    const file = join(home, 'findings.ndjson')
    writeFileSync(file, `${lines.toString()}${hostileLines.join('\n')}\n`)
    execFileSync(process.execPath, [main, 'import', '--home', home, '--source', 'archive', file])
    server = spawn(process.execPath, [main, 'serve', '--home', home, '--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    origin = await new Promise((resolve) => {
      server.stdout?.on('data', (data: Buffer) => {
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(data.toString())
        if (found !== null) resolve(found[0])
      })
    })
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  })
  afterAll(async () => {
    await browser?.close()
    const ended = new Promise((resolve) => server?.once('exit', resolve))
    server?.kill('SIGTERM')
    await ended
    rmSync(home, { recursive: true, force: true })
  })
  afterEach(async () => {
    await context?.close()
    const found = faults
    faults = []
    expect(found).toEqual([])
  })

  test.each([
    ['/console/', 1440, 'light'],
    ['/console/', 390, 'dark'],
    ['/console/explore?severity=CRITICAL', 1440, 'dark'],
    ['/console/explore?metric=open-findings', 390, 'light'],
    ['/console/findings?container=Engineering', 1440, 'light'],
    ['/console/nowhere', 390, 'light'],
  ] as const)(
    '%s at %i px, %s, passes the accessibility checks of axe and fits its width',
    async (path, width, colorScheme) => {
      const page =
        path === '/console/nowhere'
          ? await (async () => {
              context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme })
              const shown = await context.newPage()
              await shown.goto(`${origin}${path}`)
              await shown.getByText('There is no page').waitFor()
              return shown
            })()
          : await openPage(path, { viewport: { width, height: 844 }, colorScheme })
      if (path.includes('container')) {
        await page.keyboard.press('j')
        await page.getByText('History').waitFor()
      }
      // What is evaluated by the browser's own protocol is no script of the page, so the policy stays as it is.
      const found = (await page.evaluate(`${axe}; axe.run({ preload: false })`)) as {
        violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
      }
      expect(
        found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`),
      ).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
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
    const { count } = await ask<{ count: number }>('POST', '/findings/triage/preview', {
      filters: { severities: ['CRITICAL'], statuses: ['OPEN'] },
    })
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
    await page.getByText('1 set back').waitFor()
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

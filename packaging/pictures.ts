import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'

// Takes the pictures of docs/pictures/: each page of the console, light and dark, wide and narrow, from the demo.

const root = fileURLToPath(new URL('../', import.meta.url))
const main = join(root, 'dist', 'main.js')
const folder = join(root, 'docs', 'pictures')
/** When the demo starts, and the clock of the browser a little later. */
const START = Date.UTC(2026, 10, 5, 10, 0)
const NOW = START + 3 * 60_000
const pages = [
  ['overview', ''],
  ['explore', 'explore?metric=new-findings&from=2026-05-11&to=2026-11-06'],
  ['findings', 'findings?source=sample-wiki,sample-bi'],
  ['sources', 'sources'],
  ['glossary', 'glossary'],
  ['metric', 'metrics/open-critical-share?v=1..2'],
  ['watches', 'watches'],
  ['settings', 'settings'],
  ['metric-form', 'metrics/open-critical-share?edit=1'],
  ['term-form', 'glossary/pii-exposure?edit=1'],
  ['watch-form', 'watches/critical-findings?edit=1'],
  ['source-form', 'sources/sample-wiki?edit=1'],
  ['dashboard-form', '?d=secrets&edit=1'],
] as const
/** Once a change is proposed, which all pages say. */
const proposed = [['proposal', 'proposals/1']] as const
/** Of an empty data folder. */
const empty = [['first-steps', '']] as const
const shapes = [
  ['wide', { width: 1440, height: 1000 }],
  ['narrow', { width: 390, height: 844 }],
] as const

/** A module that moves the clock of a process and its threads. */
const toClock = (shift: number) =>
  `data:text/javascript,${encodeURIComponent(`
    const System = Date
    globalThis.Date = class Date extends System {
      constructor(...given) { given.length === 0 ? super(System.now() + ${shift}) : super(...given) }
      static now() { return System.now() + ${shift} }
    }`)}`

async function start(command: 'demo' | 'serve', home: string): Promise<{ server: ChildProcess; origin: string }> {
  const clock = toClock(START - Date.now())
  const server = spawn(process.execPath, ['--import', clock, main, command, '--home', home, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const origin = await new Promise<string>((resolve) => {
    server.stdout.on('data', (data: Buffer) => {
      const [, found] = /[Ss]erv(?:ing|es at) (http:\/\/127\.0\.0\.1:\d+)/.exec(data.toString()) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  return { server, origin }
}

async function send(origin: string, method: string, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${origin}${path}`, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
}

/** A metric with two versions to show side by side. */
async function define(origin: string): Promise<void> {
  const share = (severities: string[]) => ({
    numerator: { aggregation: 'COUNT', entity: 'finding', filters: { severities, statuses: ['OPEN'] } },
    denominator: { metricSlug: 'open-findings' },
  })
  await send(origin, 'POST', '/semantic/metrics', {
    slug: 'open-critical-share',
    displayName: 'Share of critical findings',
    description: 'How much of what is open is critical.',
    type: 'RATIO',
    format: 'percentage',
    better: 'lower',
    definition: share(['CRITICAL']),
  })
  await send(origin, 'PUT', '/semantic/metrics/open-critical-share', { definition: share(['CRITICAL', 'HIGH']) })
}

/** A change of a metric that waits for a decision. */
async function propose(origin: string): Promise<void> {
  const filters = { statuses: ['OPEN'], severities: ['CRITICAL', 'HIGH'] }
  const definition = { aggregation: 'COUNT', entity: 'finding', mode: 'stock', filters }
  const body = { operation: 'update_metric', input: { slug: 'open-findings', definition } }
  await send(origin, 'POST', '/proposals', body)
}

async function take(
  browser: Browser,
  origin: string,
  shown: typeof pages | typeof proposed | typeof empty,
): Promise<void> {
  for (const [name, path] of shown) {
    for (const [shape, viewport] of shapes) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await browser.newContext({ viewport, colorScheme, timezoneId: 'UTC', locale: 'en-GB' })
        const page = await context.newPage()
        await page.clock.setFixedTime(NOW)
        await page.goto(`${origin}/console/${path}`)
        await page.waitForSelector('main:not([aria-busy=true]) h1')
        if (name === 'findings' && shape === 'wide') {
          await page.locator('.finding').nth(1).click()
          await page.getByRole('heading', { name: 'History' }).waitFor()
        }
        await page.waitForLoadState('networkidle')
        const file = join(folder, `${name}-${shape}-${colorScheme}.jpg`)
        await page.screenshot({ path: file, type: 'jpeg', quality: 72, animations: 'disabled' })
        await context.close()
        process.stdout.write(`${file}\n`)
      }
    }
  }
}

mkdirSync(folder, { recursive: true })
const homes = [mkdtempSync(join(tmpdir(), 'assay-pictures-')), mkdtempSync(join(tmpdir(), 'assay-pictures-'))] as const
const [demo, first] = await Promise.all([start('demo', homes[0]), start('serve', homes[1])])
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
try {
  await define(demo.origin)
  await take(browser, demo.origin, pages)
  await propose(demo.origin)
  await take(browser, demo.origin, proposed)
  await take(browser, first.origin, empty)
} finally {
  await browser.close()
  for (const { server } of [demo, first]) {
    const ended = once(server, 'exit')
    server.kill('SIGTERM')
    await ended
  }
  for (const home of homes) rmSync(home, { recursive: true, force: true })
}

import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { assay, hasBrowser, launch, serve, settled } from '../console/harness.ts'
import { print, quantile, readCount, readFlags, saveResults } from '../support/bench.ts'

// How long the console takes in a browser: until it can be used, until the trend is painted, and from a click to new
// numbers, beside a bare page of a server that does nothing else, in
// turns; and what a click costs: the time in scripts, styles and layout of both of its redraws, and all processor time of
// the page's thread, which also reads the answer, paints, and collects garbage.
// npm run bench -- console [--rows 1e5] [--rounds 15] [--json FILE]

const flags = readFlags({ rows: '1e5', rounds: '15' })
const rows = readCount('rows', flags.rows)
const rounds = readCount('rounds', flags.rounds)

const MAX_INTERACTIVE_MS = 300
const MAX_PAINTED_MS = 500
const MAX_CLICK_MS = 150
/** Scripts, styles and layout, for 730 points in each series and 10 breakdowns. */
const MAX_REDRAW_MS = 16
const BOARDS = 10

/** The next frame after now has been painted. */
const painted = `new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))))`

async function startBare(): Promise<{ address: string; close(): void }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Bare</title><main>bare</main>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { address: `http://127.0.0.1:${port}/`, close: () => server.close() }
}

/** Opens an address in a profile without a cache; calls `read` as soon as `selector` is there. */
async function open<Result>(
  browser: Browser,
  address: string,
  selector: string,
  read: (page: Page) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } })
  try {
    const page = await context.newPage()
    await page.addInitScript(`
      const watch = (name, selector) => {
        const observer = new MutationObserver(() => {
          if (window[name] !== undefined || document.querySelector(selector) === null) return
          window[name] = ${painted}
          if (name === 'drawn') observer.disconnect()
        })
        observer.observe(document, { childList: true, subtree: true })
      }
      watch('usable', '.top nav a')
      watch('drawn', ${JSON.stringify(selector)})
    `)
    await page.goto(address)
    await page.waitForSelector(selector, { state: 'attached' })
    return await read(page)
  } finally {
    await context.close()
  }
}

const FIGURE = '.tile[aria-pressed=true] .figure b'

interface Click {
  /** From the click on a value to the painted numbers of its filter. */
  total: number
  /** In scripts, styles and layout. */
  redraw: number
  /** Processor time of the page's thread. */
  thread: number
}

async function click(page: Page): Promise<Click> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const readTimes = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    const of = (name: string) => (metrics.find((metric) => metric.name === name)?.value ?? Number.NaN) * 1000
    return {
      redraw: of('ScriptDuration') + of('RecalcStyleDuration') + of('LayoutDuration'),
      thread: of('ThreadTime'),
    }
  }
  const before = await readTimes()
  const total = Number(
    await page.evaluate(`(async () => {
      const old = document.querySelector('${FIGURE}').textContent
      const since = performance.now()
      document.querySelector('section[aria-label=Severity] .entry:not(.on)').click()
      await new Promise((resolve) => {
        const observer = new MutationObserver(() => {
          if (document.querySelector('${FIGURE}').textContent === old) return
          observer.disconnect()
          resolve()
        })
        observer.observe(document.body, { childList: true, subtree: true, characterData: true })
      })
      return (await ${painted}) - since
    })()`),
  )
  const after = await readTimes()
  await session.detach()
  return { total, redraw: after.redraw - before.redraw, thread: after.thread - before.thread }
}

if (!hasBrowser) throw new RangeError('There is no Chromium; install one, or name it in CHROMIUM.')
const bare = await startBare()
const [browser, served] = await Promise.all([
  launch(),
  serve((home) => {
    const file = join(home, 'findings.ndjson')
    // Pages have owners, so that there is a breakdown by owner.
    const owned = assay('generate', '--findings', String(rows), '--seed', '5').replace(
      /"key":"generated:\d+:(\d+)"/g,
      (key, number) => `${key},"owner":"owner-${Number(number) % 20}@example.com"`,
    )
    writeFileSync(file, owned)
    assay('import', '--home', home, '--source', 'archive', file)
  }),
])
try {
  const address = `${served.origin}/console/explore?metric=open-findings`
  const read = (name: string) => async (page: Page) => Number(await page.evaluate(`window.${name}`))
  const times = { bare: [] as number[], interactive: [] as number[], painted: [] as number[] }
  const clicks: Click[] = []
  const longClicks: Click[] = []
  for (let round = -1; round < rounds; round++) {
    const bareMs = await open(browser, bare.address, 'main', read('drawn'))
    const [interactiveMs, paintedMs] = await open(browser, address, '.trend .line[d^=M]', async (page) => [
      await read('usable')(page),
      await read('drawn')(page),
    ])
    if (round < 0) continue
    times.bare.push(bareMs)
    times.interactive.push(interactiveMs ?? Number.NaN)
    times.painted.push(paintedMs ?? Number.NaN)
  }
  const filter = (from: string, into: Click[]) =>
    open(browser, from, '.trend .line[d^=M]', async (page) => {
      await settled(page)
      const boards = await page.locator('.board').count()
      if (boards !== BOARDS) throw new Error(`the page has ${boards} breakdowns, but ${BOARDS} are measured`)
      const all = await page.locator(FIGURE).innerText()
      for (let round = -1; round < rounds; round++) {
        const measured = await click(page)
        await page.keyboard.press('Escape')
        await page
          .locator(FIGURE)
          .filter({ hasText: new RegExp(`^${all}$`) })
          .waitFor()
        await settled(page)
        if (round >= 0) into.push(measured)
      }
    })
  await filter(address, clicks)
  await filter(`${address}&range=2y&grain=day`, longClicks)
  const median = (values: readonly number[]) => quantile(values, 0.5)
  const best = (values: readonly number[]) => Math.min(...values)
  const table: [string, readonly number[], number?][] = [
    ['a bare page painted', times.bare],
    ['interactive', times.interactive, MAX_INTERACTIVE_MS],
    ['trend painted', times.painted, MAX_PAINTED_MS],
    ['click to new numbers', clicks.map(({ total }) => total), MAX_CLICK_MS],
    ['scripts, styles, layout of a click', clicks.map(({ redraw }) => redraw), MAX_REDRAW_MS],
    ['all processor time of its thread', clicks.map(({ thread }) => thread)],
    ['with 730 points: click', longClicks.map(({ total }) => total), MAX_CLICK_MS],
    ['scripts, styles, layout', longClicks.map(({ redraw }) => redraw), MAX_REDRAW_MS],
    ['all processor time', longClicks.map(({ thread }) => thread)],
  ]
  print(`${rows.toLocaleString('en-US')} findings, ${rounds} rounds`)
  for (const [what, values, limit] of table) {
    const may = limit === undefined ? '' : ` (may be ${limit})`
    print(`${what.padEnd(34)} median ${median(values).toFixed(1)} ms, best ${best(values).toFixed(1)} ms${may}`)
  }
  const ratio = median(times.painted) / median(times.bare)
  print(`the trend is painted after ${ratio.toFixed(1)} times the time of a bare page`)
  saveResults(flags.json, { rows, ...times, clicks, longClicks })
  if (table.some(([, values, limit]) => limit !== undefined && median(values) > limit)) process.exitCode = 1
} finally {
  bare.close()
  await Promise.all([browser.close(), served.close()])
}

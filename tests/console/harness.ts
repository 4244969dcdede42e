import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContext, chromium, type Frame, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { generateFindings } from '../../src/sample/findings.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
export const main = join(root, 'dist', 'main.js')
/** The shell draws each page without a window around it, which takes half the processor time. */
const browsers = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const executablePath = process.env.CHROMIUM ?? browsers.find((path) => existsSync(path)) ?? '/usr/bin/chromium'
export const hasBrowser = existsSync(executablePath)
if (!hasBrowser) {
  process.stderr.write(`browser tests are skipped: there is no ${executablePath}; install chromium\n`)
}
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** One process for drawing and one for all pages take less processor time than a process for each. */
const args = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--in-process-gpu', '--disable-dev-shm-usage']
args.push('--disable-site-isolation-trials', '--process-per-site', '--renderer-process-limit=1')
// Each page runs axe once, so to optimise its code takes as long as the rest.
args.push('--js-flags=--no-opt --no-maglev')

export const launch = (): Promise<Browser> => chromium.launch({ executablePath, args })

export const assay = (...args: string[]): string =>
  execFileSync(process.execPath, [main, ...args], { maxBuffer: 256 * 1024 * 1024, encoding: 'utf8' })

/** Lines as `assay generate` writes them. */
export const generate = (findings: number, seed = 1): string =>
  Array.from(generateFindings(findings, seed), (finding) => `${JSON.stringify(finding)}\n`).join('')

/** A served data folder. */
export interface Served {
  home: string
  origin: string
  ask<Answer>(method: string, path: string, body?: object, token?: string): Promise<Answer>
  /** Imports lines of findings. */
  importLines(source: string, lines: string): Promise<void>
  close(): Promise<void>
}

/** Serves a data folder, which `fill` fills first. */
export async function serve(
  fill: (home: string) => void = () => {},
  home = mkdtempSync(join(tmpdir(), 'assay-console-')),
): Promise<Served> {
  fill(home)
  const server: ChildProcess = spawn(process.execPath, [main, 'serve', '--home', home, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const origin = await new Promise<string>((resolve, reject) => {
    server.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
    server.stdout?.on('data', (data: Buffer) => {
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(data.toString())
      if (found !== null) resolve(found[0])
    })
  })
  return {
    home,
    origin,
    async ask<Answer>(method: string, path: string, body?: object, token?: string) {
      const response = await fetch(`${origin}${path}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return (await response.json()) as Answer
    },
    async importLines(source, body) {
      const headers = { 'content-type': 'application/x-ndjson' }
      const address = `${origin}/findings/import?source=${encodeURIComponent(source)}&format=ndjson`
      const response = await fetch(address, { method: 'POST', headers, body })
      expect([response.status, response.ok || (await response.text())]).toEqual([response.status, true])
    },
    async close() {
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
      rmSync(home, { recursive: true, force: true })
    },
  }
}

export interface OpenOptions {
  viewport?: { width: number; height: number }
  colorScheme?: 'light' | 'dark'
  /** Faults that the test itself causes. */
  allowed?: RegExp
  /** Prepares the page before it is opened. */
  prepare?: (page: Page) => Promise<void>
  /** Does not wait for answers. */
  unsettled?: boolean
}

export const settled = (page: Page): Promise<unknown> =>
  page.waitForSelector('main[aria-busy="false"], main:not([aria-busy]) .figure')

/** Reports what moves after the first paint, until the user does something. */
const watchLayout = `
  const observer = new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      // An age that becomes longer moves its own letters only.
      if (hadRecentInput || value < 0.00005) continue
      const moved = sources.map(({ node }) => (node?.nodeType === 1 ? node : node?.parentElement)?.outerHTML.slice(0, 80))
      console.error('layout shift of ' + value.toFixed(4) + ': ' + moved.join(' | '))
    }
  })
  observer.observe({ type: 'layout-shift', buffered: true })
  for (const type of ['keydown', 'pointerdown']) addEventListener(type, () => observer.disconnect(), true)
`
/** What a page of the console may load. */
const kinds = new Set(['document', 'script', 'stylesheet', 'fetch'])

const desktop = { width: 1440, height: 1000 }

/** A profile whose process lasts as long as the browser: one for each page would take several times as long as the page. */
export async function openProfile(browser: Browser): Promise<BrowserContext> {
  const profile = await browser.newContext({ viewport: desktop })
  await profile.newPage()
  return profile
}

/** Pages of one browser; what goes wrong on one, moves on it, or leaves the server, is kept as a fault. */
export class Pages {
  readonly browser: Browser
  readonly origin: string
  private profile: Promise<BrowserContext> | undefined
  private readonly opened: Page[] = []
  private faults: string[] = []
  private expected: RegExp | undefined

  constructor(browser: Browser, origin: string) {
    this.browser = browser
    this.origin = origin
  }

  /** Opens a page in the profile that all of them share. */
  async open(path: string, { viewport, colorScheme, ...options }: OpenOptions = {}): Promise<Page> {
    this.profile ??= openProfile(this.browser)
    const page = await (await this.profile).newPage()
    if (viewport !== undefined) await page.setViewportSize(viewport)
    if (colorScheme !== undefined) await page.emulateMedia({ colorScheme })
    return this.show(page, path, options)
  }

  /** Opens a page in a new profile. */
  async openAfresh(path: string): Promise<Page> {
    const context = await this.browser.newContext({ viewport: desktop })
    return this.show(await context.newPage(), path, {})
  }

  private async show(
    page: Page,
    path: string,
    { allowed, prepare, unsettled = false }: Pick<OpenOptions, 'allowed' | 'prepare' | 'unsettled'>,
  ): Promise<Page> {
    this.opened.push(page)
    if (allowed !== undefined) this.expected = allowed
    const add = (fault: string) => this.faults.push(fault)
    page.on('request', (request) => {
      if (/^(?:data|blob):/.test(request.url())) return
      if (!request.url().startsWith(this.origin) || !kinds.has(request.resourceType())) {
        add(`${request.resourceType()} ${request.url()}`)
      }
    })
    page.on('pageerror', (error) => add(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') add(message.text())
    })
    page.on('dialog', (dialog) => {
      add(`dialog ${dialog.message()}`)
      dialog.dismiss()
    })
    page.setDefaultTimeout(15_000)
    await page.addInitScript(watchLayout)
    await prepare?.(page)
    await page.goto(`${this.origin}${path}`)
    if (!unsettled) await settled(page)
    return page
  }

  /** Faults that the test itself causes. */
  allow(faults: RegExp): void {
    this.expected = faults
  }

  /** Closes what was opened, and fails if anything went wrong on it. */
  async finish(): Promise<void> {
    await Promise.all(this.opened.splice(0).map((page) => page.close()))
    const found = this.faults.filter((fault) => this.expected?.test(fault) !== true)
    this.faults = []
    this.expected = undefined
    expect(found).toEqual([])
  }
}

/** What axe finds on a page or in a part of it, and by how much the page is wider than its window. */
export async function inspect(page: Page | Frame, part = 'html'): Promise<string[]> {
  // What is evaluated by the browser's own protocol is no script of the page, so the policy stays as it is.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe)
  const options = JSON.stringify({ preload: false, resultTypes: ['violations'] })
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(part)}, ${options})`)) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  const wide = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
  return [
    ...violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`),
    ...(wide > 0 ? [`wider than its window by ${wide} px`] : []),
  ]
}

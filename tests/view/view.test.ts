import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  generate,
  hasBrowser,
  inspect,
  launch,
  main,
  openProfile,
  type Served,
  serve,
  settled,
} from '../console/harness.ts'
import { isLong } from '../support/long.ts'
import { type HostPages, startHostPages } from './host.ts'

const VIEW = 'ui://assay/answer.html'

interface Bridged {
  show(options: object): Promise<void>
  seen: {
    sizes: { height: number }[]
    contexts: object[]
    modes: string[]
    initialized: number
    saved: object[]
    opened: string[]
  }
  bridge: {
    sendToolInput(params: object): Promise<void>
    sendToolInputPartial(params: object): Promise<void>
    sendToolResult(params: object): Promise<void>
    sendToolCancelled(params: object): Promise<void>
    setHostContext(context: object): void
    teardownResource(params: object): Promise<object>
  }
}

let home = ''
let served: Served
let client: Client
let html = ''

async function openClient(mode: 'legacy' | 'auto'): Promise<Client> {
  const opened = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await opened.connect(new StdioClientTransport({ command: process.execPath, args: [main, 'mcp', '--home', home] }))
  return opened
}

const readView = async (from: Client) => (await from.readResource({ uri: VIEW })).contents[0]

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'assay-view-'))
  served = await serve(undefined, home)
  await served.importLines('archive', generate(400, 7))
  client = await openClient('auto')
  html = String(((await readView(client)) as { text: string }).text)
}, 60_000)
afterAll(async () => {
  await client?.close()
  await served?.close()
})

describe('the view of answers', () => {
  test('is offered on the four tools that it draws, and read in both eras of the protocol', async () => {
    const { tools } = await client.listTools()
    expect(tools.filter(({ _meta }) => _meta !== undefined).map(({ name, _meta }) => [name, _meta])).toEqual(
      ['explore_by_glossary_term', 'query_dashboard', 'query_metric', 'query_metric_timeseries'].map((name) => [
        name,
        { ui: { resourceUri: VIEW } },
      ]),
    )
    const legacy = await openClient('legacy')
    const [old, current] = await Promise.all([readView(legacy), readView(client)])
    expect(old).toEqual(current)
    expect(current).toMatchObject({
      uri: VIEW,
      mimeType: 'text/html;profile=mcp-app',
      _meta: { ui: { csp: {}, prefersBorder: true } },
    })
    expect(legacy.getServerCapabilities()).toMatchObject({ extensions: { 'io.modelcontextprotocol/ui': {} } })
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain(VIEW)
    await legacy.close()
  })

  test('refers to nothing outside of itself', () => {
    expect(
      html.match(/(?:src|href)=["'][^"']*|@import|url\([^#)][^)]*\)|https?:\/\/(?!www\.w3\.org)[^"'`]*/g) ?? [],
    ).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('the view in a host', { timeout: 60_000 }, () => {
  let browser: Browser
  let profile: BrowserContext
  let pages: HostPages
  let page: Page
  let faults: string[] = []
  let called: { name: string; arguments?: Record<string, unknown> }[] = []
  beforeAll(async () => {
    ;[browser, pages] = await Promise.all([launch(), startHostPages()])
    profile = await openProfile(browser)
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    pages?.close()
  })
  afterEach(async () => {
    await page?.close()
    const found = faults
    faults = []
    called = []
    expect(found).toEqual([])
  })

  /** Shows the view in a new page of the host; what it asks for beyond the two origins is a fault. */
  async function show(capabilities: object = { serverTools: {}, updateModelContext: {} }, context: object = {}) {
    page = await profile.newPage()
    page.setDefaultTimeout(10_000)
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
    page.on('request', (request) => {
      const known = [pages.origin, pages.proxy, 'about:', 'data:'].some((start) => request.url().startsWith(start))
      if (!known) faults.push(request.url())
    })
    await page.exposeFunction('callTool', (params: { name: string; arguments?: Record<string, unknown> }) => {
      called.push(params)
      return client.callTool(params)
    })
    await page.goto(pages.origin)
    await run(({ show: open }, options) => open(options), { html, proxy: pages.proxy, capabilities, context })
    const frame = page.frames().find((each) => each.parentFrame()?.parentFrame() === page.mainFrame())
    if (frame === undefined) throw new Error('there is no frame of the view')
    return frame
  }
  const run = <Argument, Result>(work: (host: Bridged, argument: Argument) => Result, argument: Argument) =>
    page.evaluate(`(${work.toString()})(window, ${JSON.stringify(argument)})`) as Promise<Awaited<Result>>

  async function answer(name: string, input: Record<string, unknown>) {
    const result = await client.callTool({ name, arguments: input })
    await run(({ bridge }, params) => bridge.sendToolInput(params), { arguments: input })
    await run(({ bridge }, params) => bridge.sendToolResult(params), result as object)
    return result.structuredContent as Record<string, never> & { value: number; breakdown: { value: number }[] }
  }
  const figureOf = (frame: Frame) => frame.locator('.figure b').first().innerText()

  test('draws a value with its groups, follows the theme and the size, and asks for other groups', async () => {
    const frame = await show({ serverTools: {}, updateModelContext: {} }, { theme: 'dark' })
    await frame.getByText('Assay is counting').waitFor()
    await run(({ bridge }, params) => bridge.sendToolInputPartial(params), { arguments: { metricSlug: 'open-f' } })
    const question = { metricSlug: 'open-findings', filters: { severities: ['HIGH', 'LOW'] } }
    const { value, breakdown } = await answer('query_metric', { ...question, dimensions: ['detectorType'] })
    await frame.locator('.entry').first().waitFor()
    expect(await figureOf(frame)).toBe(value.toLocaleString('en-US'))
    expect(await frame.locator('.entry .number').allInnerTexts()).toEqual(
      breakdown.map((entry) => entry.value.toLocaleString('en-US')),
    )
    expect(await frame.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    await run(({ bridge }, context) => bridge.setHostContext(context), {
      theme: 'light',
      styles: { variables: { '--color-text-primary': 'rgb(1, 2, 3)' } },
    })
    await expect.poll(() => frame.evaluate('document.documentElement.dataset.theme')).toBe('light')
    expect(await frame.evaluate('getComputedStyle(document.body).color')).toBe('rgb(1, 2, 3)')
    await frame.getByRole('button', { name: 'Status' }).click()
    await frame.locator('section[aria-label=Status] .entry').first().waitFor()
    expect(called).toEqual([{ name: 'query_metric', arguments: { ...question, dimensions: ['status'] } }])
    expect(await figureOf(frame)).toBe(value.toLocaleString('en-US'))
    const { sizes, contexts, initialized } = await run(({ seen }) => seen, {})
    expect(sizes.at(-1)?.height).toBeGreaterThan(100)
    expect(contexts).toHaveLength(1)
    expect(initialized).toBe(1)
  })

  test.each<[string, Record<string, unknown>, string, string?]>([
    ['query_metric_timeseries', { metricSlug: 'new-findings', granularity: 'month' }, '.plot svg'],
    ['explore_by_glossary_term', { glossaryTermSlug: 'pii-exposure' }, '.plot svg', '/console/glossary/pii-exposure'],
    ['query_dashboard', { dashboard: 'discovery' }, '.figures .tile', '/console/?d=discovery'],
  ])('draws what %s answers, without faults that axe finds, and opens it in the console', async (...each) => {
    const [name, input, selector, path] = each
    const frame = await show({ openLinks: {} })
    await run(({ bridge }, params) => bridge.sendToolInput(params), { arguments: input })
    const result = await client.callTool({ name, arguments: input })
    await run(({ bridge }, params) => bridge.sendToolResult(params), result as object)
    await frame.locator(selector).first().waitFor()
    expect(await inspect(frame)).toEqual([])
    if (path === undefined) return
    await frame.getByRole('button', { name: 'Open in the console' }).click()
    await expect.poll(() => run(({ seen }) => seen.opened, {})).toEqual([`${served.origin}${path}`])
  })

  test('offers no other groups where the host passes no calls on', async () => {
    const frame = await show({})
    await answer('query_metric', { metricSlug: 'open-findings', dimensions: ['severity'] })
    await frame.locator('.entry').first().waitFor()
    expect(await frame.getByRole('group').count()).toBe(0)
    expect(await frame.getByRole('button').count()).toBe(0)
  })

  test('shows an error and a shape that it does not know as text, which is never markup', async () => {
    const frame = await show()
    const text = '<img src=x onerror=alert(1)> \u202egnp'
    for (const isError of [true, false]) {
      await run(({ bridge }, params) => bridge.sendToolResult(params), {
        content: [{ type: 'text', text: `${isError} ${text}` }],
        ...(isError ? { isError } : { structuredContent: { other: 1 } }),
      })
      await frame.getByText(`${isError} <img`).waitFor()
    }
    expect(await frame.locator('img').count()).toBe(0)
    expect(await frame.locator('pre').innerText()).toContain('<U+202E>')
  })

  test('says that a question was cancelled, and ends when it is taken down', async () => {
    const frame = await show()
    await run(({ bridge }, params) => bridge.sendToolCancelled(params), { reason: 'stopped by the user' })
    await frame.getByText('stopped by the user').waitFor()
    expect(await run(({ bridge }) => bridge.teardownResource({}), {})).toEqual({})
    await expect.poll(() => frame.locator('main').count()).toBe(0)
  })

  test('saves the numbers as CSV through a host that can', async () => {
    const frame = await show({ downloadFile: {} })
    const { value } = await answer('query_metric', { metricSlug: 'open-findings' })
    await frame.getByRole('button', { name: 'Save as CSV' }).click()
    const saved = () => run(({ seen }) => seen.saved, {})
    await expect.poll(saved).toEqual([
      {
        type: 'resource',
        resource: { uri: 'file:///open-findings.csv', mimeType: 'text/csv', text: `open-findings\r\n${value}\r\n` },
      },
    ])
    const { breakdown } = await answer('query_metric', { metricSlug: 'open-findings', dimensions: ['severity'] })
    await frame.locator('.entry').first().waitFor()
    await frame.getByRole('button', { name: 'Save as CSV' }).click()
    await expect.poll(async () => (await saved()).length).toBe(2)
    const text = breakdown.map((entry) => `${(entry as { dimensionValue?: string }).dimensionValue},${entry.value}`)
    expect((await saved())[1]).toMatchObject({
      resource: { text: `severity,open-findings\r\n${text.join('\r\n')}\r\n` },
    })
  })

  const furtherQuestions: [question: { metricSlug: string } & Record<string, unknown>, isOffered: boolean][] = [
    [{ metricSlug: 'open-findings', dimensions: ['severity'] }, true],
    [{ metricSlug: 'open-findings', glossaryTermSlug: 'pii-exposure', filters: { containers: ['Engineering'] } }, true],
  ]
  test.each([
    ...(isLong ? furtherQuestions : []),
    [
      { metricSlug: 'new-findings', filters: { severities: ['HIGH', 'LOW'] }, from: '2025-01-01', to: '2030-01-01' },
      true,
    ],
    // The console has no filters that exclude.
    [{ metricSlug: 'open-findings', filters: { exclude: { severities: ['LOW'] } } }, false],
  ] satisfies typeof furtherQuestions)(
    'opens what %j asks in the console of a server on the same folder: %s',
    async (question, isOffered) => {
      const frame = await show({ openLinks: {} })
      const { value } = await answer('query_metric', question)
      expect(await figureOf(frame)).toBe(value.toLocaleString('en-US'))
      const button = frame.getByRole('button', { name: 'Open in the console' })
      expect(await button.count()).toBe(isOffered ? 1 : 0)
      if (!isOffered) return
      await button.click()
      const opened = () => run(({ seen }) => seen.opened, {})
      await expect.poll(async () => (await opened()).length).toBe(1)
      const [address = ''] = await opened()
      expect(address).toMatch(new RegExp(`^${served.origin}/console/explore\\?metric=${question.metricSlug}`))
      const shown = await profile.newPage()
      await shown.goto(address)
      await settled(shown)
      expect(await shown.locator('.tile[aria-pressed=true] .figure b').innerText()).toBe(value.toLocaleString('en-US'))
      await shown.close()
    },
  )

  test('asks for the full screen where the host has one', async () => {
    const frame = await show({ serverTools: {} }, { availableDisplayModes: ['inline', 'fullscreen'] })
    await answer('query_metric', { metricSlug: 'open-findings' })
    await frame.getByRole('button', { name: 'Full screen' }).click()
    await frame.getByRole('button', { name: 'Smaller' }).waitFor()
    expect((await run(({ seen }) => seen, {})).modes).toEqual(['fullscreen'])
  })
})

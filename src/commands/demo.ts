import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { OpenedApp } from '../app.ts'
import { toAnswerText } from '../cli/answer-text.ts'
import { toDashboardText } from '../cli/dashboard-text.ts'
import type { Flags, Host } from '../cli/host.ts'
import { show } from '../cli/output/show.ts'
import { followScan, toScanSummary } from '../cli/scan-progress.ts'
import { type Session, withSession } from '../cli/session.ts'
import type { DashboardAnswer } from '../dashboards/evaluation.ts'
import { requireFreePort } from '../http/listen.ts'
import { importFindings } from '../imports/imports.ts'
import { count } from '../kernel/count.ts'
import { AppError } from '../kernel/errors.ts'
import { line, type PrintableText, quote, showCode, showJson, showName, showSentence } from '../kernel/shown.ts'
import type { MetricAnswer } from '../query/model.ts'
import { shell } from '../runtime/shell.ts'
import { sampleCredentials } from '../sample/credentials.ts'
import { historySourceName, inventHistory } from '../sample/history.ts'
import { type SampleTenants, startSampleTenants } from '../sample/tenants.ts'
import { startServer, untilStopped } from './serve.ts'

interface DemoOptions {
  flags: Flags
  once: boolean
  /** Where it serves afterwards. */
  address: { host: string; port: number }
  host: Host
  open: (flags: Flags) => Promise<OpenedApp>
}

/** A guided first run: an invented history, two sample tenants, two scans, the numbers, and how to continue. */
export async function demo({ flags, once, address, host, open }: DemoOptions): Promise<void> {
  if (!once) await requireFreePort(address)
  const throwAway = flags.home === undefined
  const home = flags.home ?? mkdtempSync(join(tmpdir(), 'assay-demo-'))
  const tenants = await startSampleTenants()
  try {
    const [wiki, bi] = [showSentence(tenants.wiki.url), showSentence(tenants.bi.url)]
    await show(host, line`Two sample tenants are running: a wiki at ${wiki} and a BI platform at ${bi}`)
    const kept = throwAway ? line` (removed at the end; keep one with --home FOLDER)` : line``
    await show(host, line`Data folder: ${showSentence(home)}${kept}`)
    const openHere = async (more: Flags) => open({ logLevel: 'warn', ...flags, ...more, home })
    await withSession({ ...host, open: openHere }, flags, async (session) => {
      await importHistory(host, session)
      await scanTenants(host, session, tenants)
      await define(session)
      await showDashboard(host, session)
      await showAnswers(host, session)
    })
    const assay = showSentence(host.program ?? 'assay')
    await show(host, ...connectText(assay, home, throwAway, address), ...(once ? [] : tryText(assay, tenants)))
    if (!once) await serveUntilStopped(host, await openHere({}))
  } finally {
    await tenants.close()
    if (throwAway) rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** A year of invented findings gives trends something to show; the data folder gets them once. */
async function importHistory(host: Host, { app, call }: Session): Promise<void> {
  const { items } = await call<{ items: { name: string }[] }>('list_sources', {})
  if (items.some(({ name }) => name === historySourceName)) return
  const source = showName(historySourceName)
  await show(host, line`Importing ${source}: a year of invented findings`)
  const context = app.contextFor({ caller: app.caller, signal: host.signal })
  const lines = Readable.from(toLines(inventHistory(context.now())))
  const { lines: imported, assets } = await importFindings(
    lines,
    { source: historySourceName, format: 'ndjson' },
    context,
  )
  await show(host, line`  ${source}: ${count(imported, 'finding')} in ${count(assets, 'asset')}`)
}

function* toLines(findings: Iterable<object>): Generator<string> {
  for (const finding of findings) yield `${JSON.stringify(finding)}\n`
}

async function scanTenants(host: Host, session: Session, tenants: SampleTenants): Promise<void> {
  for (const { name, config } of tenants.sources) {
    const { items } = await session.call<{ items: { name: string }[] }>('list_sources', {})
    const known = items.some((source) => source.name === name)
    if (known) await session.call('update_source', { id: name, config })
    else await session.call('create_source', { name, config })
    await show(host, line`Scanning ${showName(name)}`)
    const { id } = await session.call<{ id: string }>('start_scan', { id: name })
    const scan = await followScan(host, session, id, host.stdout)
    await show(host, line`  ${toScanSummary(scan)}`)
    if (scan.status === 'FAILED')
      throw new AppError('unavailable', `The scan of ${quote(name)} failed: ${scan.reason ?? 'see its failures'}.`)
  }
}

const watches = [
  { slug: 'critical-findings', displayName: 'Critical findings', metricSlug: 'critical-open-findings', value: 10 },
  { slug: 'open-in-a-space', displayName: 'Open findings in a space', dimensions: ['container'], value: 600 },
  { slug: 'open-in-all', displayName: 'Open findings in all', value: 5_000 },
]
const secrets = { detectorTypes: ['SECRETS'] }
const placements = [
  { slug: 'open-findings', pinnedFilters: secrets },
  { slug: 'new-findings', pinnedFilters: secrets },
  { slug: 'resolution-rate', pinnedFilters: secrets },
  { slug: 'mean-time-to-resolve', pinnedFilters: secrets },
  { slug: 'critical-open-findings' },
]

/** Due dates, watches and a dashboard of its own; the data folder gets them once. */
async function define({ call }: Session): Promise<void> {
  const { items } = await call<{ items: { name: string }[] }>('list_dashboards', {})
  if (items.some(({ name }) => name === 'secrets')) return
  await call('set_sla', { policies: [{ days: { CRITICAL: 7, HIGH: 90 } }] })
  for (const { value, ...watch } of watches) {
    await call('create_watch', { metricSlug: 'open-findings', ...watch, condition: { kind: 'above', value } })
  }
  for (const placement of placements) await call('set_placement', { dashboard: 'secrets', ...placement })
  await call('check_watches', {})
}

async function showDashboard(host: Host, session: Session): Promise<void> {
  await show(
    host,
    ...toDashboardText(await session.call<DashboardAnswer>('query_dashboard', { dashboard: 'discovery' })),
  )
}

const questions = [
  {
    asked: 'How many findings are open, by severity?',
    tool: 'query_metric',
    input: { metricSlug: 'open-findings', dimensions: ['severity'] },
  },
  {
    asked: 'Which spaces and workspaces have the most broken links?',
    tool: 'query_metric',
    input: { metricSlug: 'total-findings', glossaryTermSlug: 'broken-content', dimensions: ['container'], limit: 5 },
  },
  {
    asked: 'What kinds of secrets are exposed, and where?',
    tool: 'query_metric',
    input: {
      metricSlug: 'open-findings',
      filters: { detectorTypes: ['SECRETS'] },
      dimensions: ['findingType'],
      limit: 5,
    },
  },
]

async function showAnswers(host: Host, session: Session): Promise<void> {
  for (const { asked, tool, input } of questions) {
    await show(host, line`? ${showSentence(asked)}`)
    await show(host, line`  ${showCode(tool)} ${showJson(input)}`)
    await show(host, ...toAnswerText(await session.call<MetricAnswer>(tool, input)))
  }
}

function connectText(
  assay: PrintableText,
  home: string,
  throwAway: boolean,
  { host, port }: DemoOptions['address'],
): PrintableText[] {
  const folder = throwAway ? line`` : line` --home ${showSentence(shell.quote(home))}`
  return [
    line`Connect an assistant`,
    line`  over stdio: ${assay} mcp install claude-code${folder}`,
    line`  over HTTP:  http://${showName(host)}:${showCode(String(port))}/mcp while \`${assay} serve${folder}\` runs`,
    line`  either way: see mcp.config.example.json`,
  ]
}

/** The commands that add the sample tenants as if they were one's own, to a folder in which they are not yet. */
function tryText(assay: PrintableText, { wiki, bi }: SampleTenants): PrintableText[] {
  const folder = line`--home assay-trial`
  const { accountEmail, apiToken, tenantId, clientId, clientSecret } = sampleCredentials
  const wikiOptions = line`--base-url ${showSentence(wiki.url)} --account-email ${showSentence(accountEmail)}`
  const biOptions = line`--auth-mode SERVICE_PRINCIPAL --tenant-id ${showCode(tenantId)} --client-id ${showCode(clientId)}`
  const biAddresses = line`--api-base-url ${showSentence(bi.apiUrl)} --authority-url ${showSentence(bi.authorityUrl)}`
  return [
    line`Add the sample tenants as you would your own, while this runs`,
    line`  echo ${showCode(apiToken)} | ${assay} sources add my-wiki ${wikiOptions} --secret-stdin ${folder}`,
    line`  echo ${showCode(clientSecret)} | ${assay} sources add my-bi ${biOptions} ${biAddresses} --secret-stdin ${folder}`,
    line`  ${assay} scan my-wiki ${folder}`,
  ]
}

async function serveUntilStopped(host: Host, app: OpenedApp): Promise<void> {
  try {
    const server = await startServer(app)
    const url = showSentence(server.url)
    await show(
      host,
      line`Serving ${url} · console at ${url}/console/ · REST at ${url}/docs · MCP at ${url}/mcp · Ctrl-C stops it`,
    )
    if (app.config.background) app.startBackground()
    await untilStopped(host.signal)
    await server.close()
  } finally {
    await app.close()
  }
}

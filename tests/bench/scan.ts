import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFingerprinter } from '../../src/detectors/fingerprint.ts'
import { runRequest } from '../../src/detectors/request.ts'
import type { AssayDocument } from '../../src/documents/document.ts'
import { parseStorage } from '../../src/documents/markup/confluence-storage.ts'
import { sampleCredentials } from '../../src/sample/credentials.ts'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { createSource, mainFile, makeHome, serveAssay } from '../support/assay.ts'
import { describeMachine, print, quantile, readFlags, readMemory, saveResults } from '../support/bench.ts'
import { countScanRequests, type ScanRequests } from '../support/scan-requests.ts'
import { startWikiProcess, type WikiProcess } from '../support/wiki-process.ts'

// Scans of a generated wiki by the built program, next to a plain crawler that asks for one thing after the other.
// npm run bench -- scan [--pages 2000] [--plain 300] [--latency 20] [--memory 10000,50000] [--during 50000] [--items 10,100,1000] [--json FILE]

const flags = readFlags({
  pages: '2000',
  plain: '300',
  latency: '20',
  memory: '10000,50000',
  during: '50000',
  items: '10,100,1000',
})
const latencyMs = Number(flags.latency)
const counts = (text: string) => text.split(',').map(Number).filter(Boolean)
const MEGABYTE = 1024 * 1024
const types = ['SECRETS', 'PII', 'PROMPT_INJECTION', 'DUPLICATE', 'CONTENT_QUALITY', 'CUSTOM']

interface Run {
  what: string
  pages: number
  seconds: number
  pagesPerSecond: number
  requestsPerPage: number
  peakMegabytes?: number
}

function show(run: Run): Run {
  const memory = run.peakMegabytes === undefined ? '' : `, peak ${run.peakMegabytes} MB`
  print(
    `${run.what}: ${run.pages} pages in ${run.seconds.toFixed(1)} s, ${run.pagesPerSecond.toFixed(0)} pages/s, ${run.requestsPerPage.toFixed(3)} requests a page${memory}`,
  )
  return run
}

async function measure(what: string, pages: number, wiki: WikiProcess, work: () => Promise<number | undefined>) {
  const before = await wiki.countRequests()
  const started = performance.now()
  const peak = await work()
  const seconds = (performance.now() - started) / 1000
  const requests = (await wiki.countRequests()) - before
  return show({
    what,
    pages,
    seconds,
    pagesPerSecond: pages / seconds,
    requestsPerPage: requests / pages,
    ...(peak === undefined ? {} : { peakMegabytes: Math.round(peak / MEGABYTE) }),
  })
}

async function addSource(home: string, { url }: WikiProcess): Promise<void> {
  const { config } = sampleSourceConfigs({ wikiUrl: url, biUrl: url, authorityUrl: url }).wiki
  await createSource(home, { name: 'wiki', config })
}

/** Scans by the command line; returns the peak of its resident memory in bytes. */
async function scan(home: string): Promise<number | undefined> {
  const child = spawn(process.execPath, [mainFile, 'scan', 'wiki'], {
    env: { ...process.env, ASSAY_HOME: home },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  let peak: number | undefined
  const timer = setInterval(() => {
    const memory = child.pid === undefined ? undefined : readMemory(child.pid)
    if (memory !== undefined && memory.peak > 0) peak = memory.peak
  }, 100)
  const [code] = await once(child, 'close')
  clearInterval(timer)
  if (code !== 0) throw new Error(`the scan ended with ${code}`)
  return peak
}

interface Listed {
  results: { id: string; title?: string; body?: { storage?: { value?: string } }; pageId?: string }[]
  _links?: { next?: string }
}

/** Reads everything once, one request after the other, and runs the same detectors on it. */
async function crawlPlainly(url: string): Promise<void> {
  const { accountEmail, apiToken } = sampleCredentials
  const authorization = `Basic ${Buffer.from(`${accountEmail}:${apiToken}`).toString('base64')}`
  const fingerprint = createFingerprinter(new Uint8Array(32))
  const get = async (path: string) => (await fetch(new URL(path, url), { headers: { authorization } })).text()
  const detect = (document: AssayDocument, key: string) => {
    const asset = { key, kind: 'wiki.page', name: key, url: '' }
    const detectors = types.map((type) => ({ type }))
    runRequest(document, { asset, detectors, now: Date.now() }, { fingerprint })
  }
  const list = async function* (path: string) {
    for (let next: string | undefined = path; next !== undefined; ) {
      const page = JSON.parse(await get(next)) as Listed
      yield* page.results
      next = page._links?.next
    }
  }
  const api = '/wiki/api/v2'
  for await (const space of list(`${api}/spaces?limit=250`)) {
    for await (const page of list(`${api}/spaces/${space.id}/pages?limit=50&body-format=storage`)) {
      detect(parseStorage(page.body?.storage?.value ?? ''), page.id)
      for (const kind of ['footer', 'inline']) {
        for await (const comment of list(`${api}/pages/${page.id}/${kind}-comments?limit=50&body-format=storage`)) {
          detect(parseStorage(comment.body?.storage?.value ?? ''), comment.id)
          for await (const reply of list(`${api}/${kind}-comments/${comment.id}/children?limit=50&body-format=storage`))
            detect(parseStorage(reply.body?.storage?.value ?? ''), reply.id)
        }
      }
      for await (const file of list(`${api}/pages/${page.id}/attachments?limit=50`)) {
        const text = await get(`/wiki/rest/api/content/${page.id}/child/attachment/${file.id}/download`)
        detect({ mime: 'text/plain', parts: [{ kind: 'text', text, path: 'body' }], links: [] }, file.id)
      }
    }
  }
}

async function compare(pages: number, plain: number): Promise<Run[]> {
  const runs: Run[] = []
  const small = await startWikiProcess({ pages: plain, latencyMs })
  runs.push(
    await measure('a plain crawler', plain, small, async () => {
      await crawlPlainly(small.url)
      return undefined
    }),
  )
  await small.close()
  const wiki = await startWikiProcess({ pages, latencyMs })
  const { home, remove } = makeHome()
  await addSource(home, wiki)
  runs.push(await measure('the first scan', pages, wiki, () => scan(home)))
  runs.push(await measure('the second scan', pages, wiki, () => scan(home)))
  await wiki.close()
  remove()
  return runs
}

async function measureMemory(pages: number): Promise<Run[]> {
  const wiki = await startWikiProcess({ pages, latencyMs: 0 })
  const { home, remove } = makeHome()
  await addSource(home, wiki)
  const runs = [
    await measure(`the first scan, no latency`, pages, wiki, () => scan(home)),
    await measure(`the second scan, no latency`, pages, wiki, () => scan(home)),
  ]
  await wiki.close()
  remove()
  return runs
}

const questions = [
  { metricSlug: 'open-findings', dimensions: ['severity'] },
  { metricSlug: 'total-findings', dimensions: ['detectorType'] },
  { metricSlug: 'total-findings', filters: { severities: ['HIGH', 'CRITICAL'] }, dimensions: ['findingType'] },
]

/** Milliseconds of questions, one every 20 ms, for so long or until told to stop. */
async function askFor(url: string, until: () => boolean): Promise<number[]> {
  const taken: number[] = []
  for (let index = 0; !until(); index++) {
    const started = performance.now()
    const reply = await fetch(`${url}/semantic/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(questions[index % questions.length]),
    })
    if (!reply.ok) throw new Error(`a query failed: ${await reply.text()}`)
    await reply.arrayBuffer()
    taken.push(performance.now() - started)
    await sleep(20)
  }
  return taken
}

/** Questions to `assay serve` over HTTP before, while and after it scans. */
async function askDuringScan(pages: number) {
  const wiki = await startWikiProcess({ pages, latencyMs })
  const { home, remove } = makeHome()
  await addSource(home, wiki)
  const server = await serveAssay(home)
  const askSeconds = (seconds: number) => {
    const end = performance.now() + seconds * 1000
    return askFor(server.url, () => performance.now() > end)
  }
  await askSeconds(3)
  const before = await askSeconds(20)
  const reply = await fetch(`${server.url}/sources/wiki/scans`, { method: 'POST' })
  const { id } = (await reply.json()) as { id: string }
  let over = false
  const watch = (async () => {
    while (!over) {
      const scan = (await (await fetch(`${server.url}/scans/${id}`)).json()) as { status: string }
      over = scan.status !== 'RUNNING' && scan.status !== 'QUEUED'
      if (over && scan.status !== 'COMPLETED') throw new Error(`the scan ended ${scan.status}`)
      await sleep(1_000)
    }
  })()
  const during = await askFor(server.url, () => over)
  await watch
  const after = await askSeconds(20)
  const peak = server.child.pid === undefined ? undefined : readMemory(server.child.pid)?.peak
  await server.stop()
  await wiki.close()
  remove()
  const toTail = (values: number[]) => ({
    questions: values.length,
    p50: quantile(values, 0.5),
    p99: quantile(values, 0.99),
  })
  const result = {
    pages,
    before: toTail(before),
    during: toTail(during),
    after: toTail(after),
    peakMegabytes: Math.round((peak ?? 0) / MEGABYTE),
  }
  for (const when of ['before', 'during', 'after'] as const) {
    const { questions, p50, p99 } = result[when]
    print(`${when} the scan: ${questions} questions over HTTP, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
  }
  print(
    `p99 during / after: ${(result.during.p99 / result.after.p99).toFixed(2)}; peak of the server ${result.peakMegabytes} MB`,
  )
  return result
}

const machine = describeMachine()
print(`${machine.processors} processors, load ${machine.load.join(' ')}, Node ${machine.node}`)
const requests: ScanRequests[] = []
for await (const count of countScanRequests(counts(flags.items))) {
  const { tenant, items, first, unchanged, edited } = count
  print(`${tenant}: ${items} items, requests of the first scan ${first}, unchanged ${unchanged}, edited ${edited}`)
  requests.push(count)
}
const runs: Run[] = []
if (Number(flags.pages) > 0) runs.push(...(await compare(Number(flags.pages), Number(flags.plain))))
for (const pages of counts(flags.memory)) runs.push(...(await measureMemory(pages)))
const asked = []
for (const pages of counts(flags.during)) asked.push(await askDuringScan(pages))
saveResults(flags.json, { benchmark: 'scan', latencyMs, requests, runs, asked })

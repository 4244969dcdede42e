import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../src/kernel/random.ts'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import type { FaultResponse, SampleFault } from '../sample/fault.ts'
import { generatedWiki } from '../sample/generated-wiki.ts'
import { type SampleWiki, startSampleWiki } from '../sample/servers.ts'
import { makeHome, serveAssay } from '../support/assay.ts'

/** One request in twenty goes wrong, in one of these ways. */
const FAULTY = 0.05
const responses: readonly FaultResponse[] = [
  'reset',
  'truncate',
  'cut',
  'empty',
  'html',
  { status: 500 },
  { status: 503, headers: { 'retry-after': '1' } },
  { status: 429, headers: { 'retry-after': '0' } },
]

export interface Reading {
  atMs: number
  openFiles: number
  /** After the last collection that was seen. */
  heapBytes: number
}

export interface Soak {
  scans: Record<string, number>
  calls: number
  /** Answers over 499, and calls that failed on their way. */
  faults: string[]
  /** One after each scan. */
  readings: Reading[]
  /** What the log had to say about faults of our own; the process ends at a rejection that nobody handles. */
  errors: string[]
  /** Answers of an undisturbed installation and of this one in the end. */
  calm: unknown
  soaked: unknown
}

/** Serves, scans a faulty wiki again and again, and asks and changes things all the while. */
export async function soak(options: { seconds: number; pages: number; seed: number }): Promise<Soak> {
  const random = createRandom(options.seed)
  const tenant = generatedWiki({ pages: options.pages, sentences: 6, plantEvery: 3 })
  const wiki = await startSampleWiki({ tenant })
  const [calm, home] = [makeHome(), makeHome()]
  try {
    wiki.faults.push(...toFaults(random))
    const place = await open(home.home, wiki)
    const result = { scans: {} as Record<string, number>, readings: [] as Reading[] }
    const until = performance.now() + options.seconds * 1000
    const visits = Promise.all(Array.from({ length: 2 }, (_, visitor) => visit(place, visitor, until)))
    for (let turn = 0; performance.now() < until; turn++) {
      const status = await place.scan(turn)
      result.scans[status] = (result.scans[status] ?? 0) + 1
      wiki.requests.length = 0
      result.readings.push(await place.read())
    }
    const calls = (await visits).flat()
    wiki.faults.length = 0
    // A last one, without faults, over everything.
    for (const turn of [0, 1]) await place.scan(turn)
    const soaked = await place.ask()
    // At the same hour: pages grow stale meanwhile.
    const undisturbed = await open(calm.home, wiki)
    await undisturbed.scan(1)
    const expected = await undisturbed.ask()
    await undisturbed.server.stop()
    await place.server.stop()
    const errors = place.log().filter((line) => !/"level":"warn"/.test(line))
    return {
      ...result,
      calls: calls.length,
      faults: calls.filter((call) => call !== ''),
      errors,
      calm: expected,
      soaked,
    }
  } finally {
    await wiki.close()
    calm.remove()
    home.remove()
  }
}

function toFaults(random: () => number): SampleFault[] {
  return responses.map((respond) => ({ match: () => random() < FAULTY / responses.length, respond }))
}

type Place = Awaited<ReturnType<typeof open>>

async function open(home: string, wiki: SampleWiki) {
  const server = await serveAssay(home, ['--log-level', 'warn'])
  let log = ''
  server.child.stderr?.on('data', (text: string) => {
    log += text
  })
  const call = async (method: string, path: string, body?: object) => {
    // A connection of its own: one that is kept may be closed at the moment that a request is sent on it.
    const headers = { connection: 'close', 'content-type': 'application/json' }
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    const reply = await fetch(`${server.url}${path}`, init)
    return { status: reply.status, text: await reply.text() }
  }
  const { config } = sampleSourceConfigs({ wikiUrl: wiki.url, biUrl: wiki.url, authorityUrl: wiki.url }).wiki
  const optional = { ...(config.optional as object | undefined), connection: { max_retries: 3 } }
  await call('POST', '/sources', { name: 'wiki', config: { ...config, optional } })
  return {
    server,
    call,
    log: () => log.split('\n').filter(Boolean),
    /** Every second turn looks with one detector less, so that no page counts as unchanged. */
    scan: async (turn: number): Promise<string> => {
      const detectors = ['SECRETS', 'PII', 'CONTENT_QUALITY'].slice(0, turn % 2 === 0 ? 2 : 3)
      await call('PUT', '/sources/wiki', {
        config: { detectors: detectors.map((type) => ({ type, enabled: true })) },
      })
      const started = await call('POST', '/sources/wiki/scans')
      if (started.status !== 201) return `refused with ${started.status}`
      const { id } = JSON.parse(started.text) as { id: string }
      for (;;) {
        const { status } = JSON.parse((await call('GET', `/scans/${id}`)).text) as { status: string }
        if (status !== 'QUEUED' && status !== 'RUNNING') return status
        await sleep(50)
      }
    },
    ask: async () => {
      const query = { metricSlug: 'open-findings', dimensions: ['detectorType', 'severity'] }
      const { value, breakdown } = JSON.parse((await call('POST', '/semantic/query', query)).text)
      return { value, breakdown }
    },
    read: async (): Promise<Reading> => {
      const { text } = await call('GET', '/metrics')
      const read = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1])
      return {
        atMs: performance.now(),
        openFiles: read('process_open_fds'),
        heapBytes: read('nodejs_heap_size_used_bytes'),
      }
    },
  }
}

/** Somebody who asks, writes and looks around; tells what went wrong, '' for each call that did not. */
async function visit({ call }: Place, visitor: number, until: number): Promise<string[]> {
  const slug = `soak-${visitor}`
  const mcp = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_stats', arguments: {} } }
  const steps: [string, string, object?][] = [
    ['POST', '/semantic/query', { metricSlug: 'total-findings', dimensions: ['severity'] }],
    ['POST', '/semantic/glossary', { slug, displayName: slug, filterMapping: { severities: ['HIGH'] } }],
    ['GET', '/findings?limit=100'],
    ['POST', '/semantic/query', { metricSlug: 'no-such-metric' }],
    ['PUT', `/semantic/glossary/${slug}`, { description: `seen ${visitor}` }],
    ['POST', '/mcp', mcp],
    ['GET', '/assets?limit=50'],
    ['DELETE', `/semantic/glossary/${slug}`],
    ['GET', '/metrics'],
  ]
  const results: string[] = []
  for (let index = 0; performance.now() < until; index++) {
    const [method, path, body] = steps[index % steps.length] ?? ['GET', '/health']
    try {
      const { status, text } = await call(method, path, body)
      results.push(status < 500 ? '' : `${method} ${path}: ${status} ${text.slice(0, 200)}`)
    } catch (error) {
      results.push(`${method} ${path}: ${error}`)
    }
    await sleep(20)
  }
  return results
}

import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SampleFault } from '../../src/sample/fault.ts'
import { startPlatform } from '../scans/withheld-run.ts'
import { makeHome, serveAssay } from '../support/assay.ts'
import { MarkedPlantings } from '../support/marked-plantings.ts'
import { inParallel, repeatInParallel } from '../support/parallel.ts'
import { ask as askOnce, connectHttp } from './estate.ts'
import { plantCommands, plantFaults } from './planted-commands.ts'
import { crawlThroughGate } from './planted-crawl.ts'
import { introduceClients, readEverything, useProtocol } from './planted-doors.ts'
import { makeImports, makeRefusedImports } from './planted-imports.ts'
import { plantContent, plantSteering } from './planted-tenant.ts'

type Json = Record<string, unknown>

/** How often each thing is planted; without an end until every field had every planting. */
export interface PlantedCounts {
  scans: number
  /** How many of the members that a connector steers by. */
  steered: number
  /** Of each such member, how many scans, and then how many crawls without a database. */
  steeredScans: number
  crawls: number
  /** Crawls without a database after the scans of what is planted into texts of pages. */
  contentCrawls: number
  /** How long such a scan or crawl may take: a platform whose states nobody understands is waited for. */
  maxSteeredMs: number
  lines: number
  refusedImports: number
  requests: number
  commands: number
  crashes: number
  /** Of the assets and findings, each so many-th is asked for alone. */
  every: number
}

export interface PlantedOutcome {
  leaks: string[]
  uncovered: string[]
  fields: number
  planted: number
  findings: number
  assets: number
}

/** A connection that was idle may be closed just when it is used again. */
const ask: typeof askOnce = (...asked) => askOnce(...asked).catch(() => askOnce(...asked))
const fetchAgain: typeof fetch = (...asked) => fetch(...asked).catch(() => fetch(...asked))

const MAX_CONTENT_MS = 60_000
const CRAWLS_OF_EQUALS = 4
const PART_BYTES = 256 * 1024
const OVERLAP_BYTES = 8192

/** The text of a file in parts that overlap; without those that were read before, in this or another file. */
export function* readInParts(file: string, known: Set<string>): Generator<string> {
  const bytes = readFileSync(file)
  for (let start = 0; start < bytes.length; start += PART_BYTES) {
    const part = bytes.subarray(start, start + PART_BYTES + OVERLAP_BYTES)
    const digest = hash('sha1', part, 'base64')
    if (known.has(digest)) continue
    known.add(digest)
    yield part.toString()
  }
}
const DONE = /^(?:COMPLETED|PARTIAL|FAILED|CANCELLED)$/

/** Imports into different sources do not wait for each other. */
const IMPORTERS = 6

/** Plants texts in all that a tenant of each platform and imports say and people type, and looks for them wherever something comes out. */
export async function findPlantedTexts(counts: PlantedCounts, say: (text: string) => void): Promise<PlantedOutcome> {
  const plantings = new MarkedPlantings()
  const { home, remove } = makeHome()
  const leaks = new Set<string>()
  const note = (where: string, text: string) => {
    for (const found of plantings.find(text)) {
      const leak = `${where}: ${found}`
      if (!leaks.has(leak)) say(leak)
      leaks.add(leak)
    }
  }
  const take = (field: string) => plantings.take(field, { credentialsOnly: true })
  const read = new Set<string>()
  const readFiles = (when: string) => {
    for (const each of readdirSync(home, { recursive: true, withFileTypes: true })) {
      if (!each.isFile()) continue
      for (const part of readInParts(join(each.parentPath, each.name), read)) note(`${each.name} ${when}`, part)
    }
  }
  const server = await serveAssay(home, ['--log-level', 'debug'])
  server.child.stderr?.on('data', (text) => note('the log', String(text)))
  const count = { findings: 0, assets: 0 }
  let sources = 0
  const scan = async (platform: string, config: object, maxMs: number) => {
    const name = `${platform} ${sources++}`
    const created = await ask(server.url, 'POST', '/sources', { name, config })
    const id = String(created.body.id)
    let { body } = await ask(server.url, 'POST', `/sources/${id}/scans`, {})
    const start = performance.now()
    while (!DONE.test(String(body.status))) {
      await sleep(100)
      // A platform whose states nobody understands is waited for.
      if (performance.now() - start > maxMs) await ask(server.url, 'POST', `/scans/${body.id}/cancel`, {})
      body = (await ask(server.url, 'GET', `/scans/${body.id}`)).body
    }
    note(`a scan of ${platform}`, JSON.stringify(body))
    return id
  }
  const scanPlatform = async (platform: 'WIKI' | 'BI_PLATFORM') => {
    const { server: tenant, config } = await startPlatform({ platform, adminApi: true })
    const isCovered = (prefix: string) => !plantings.listUncovered().some((field) => field.startsWith(prefix))
    const setFault = (fault: SampleFault) => {
      tenant.faults.splice(0, tenant.faults.length, fault)
      tenant.requests.length = 0
    }
    const round = (fault: SampleFault, maxMs: number) => {
      setFault(fault)
      return scan(platform, config, maxMs)
    }
    try {
      const steer = new Set<string>()
      for (let n = 0; n < counts.scans && (n === 0 || !isCovered(`${platform} /`)); n++) {
        const id = await round(plantContent(platform, plantings, steer), MAX_CONTENT_MS)
        if (n < 3)
          note(`a test of ${platform}`, JSON.stringify((await ask(server.url, 'POST', `/sources/${id}/test`, {})).body))
      }
      // Texts of pages come often enough to be covered by now; what comes once is left to crawls without a database.
      let content = 0
      for (; content < counts.contentCrawls && !isCovered(`${platform} /`); content++) {
        setFault(plantContent(platform, plantings, steer))
        await crawlThroughGate(config, platform, note, MAX_CONTENT_MS)
      }
      say(`${platform}: ${sources} sources, ${content} crawls, steered by ${[...steer].join(' ')}`)
      for (const member of [...steer].slice(0, counts.steered)) {
        const field = `${platform}, steering ${member}`
        for (let n = 0; n < counts.steeredScans; n++)
          await round(plantSteering(platform, member, plantings), counts.maxSteeredMs)
        const start = performance.now()
        let crawls = 0
        for (; crawls < counts.crawls && (counts.steeredScans + crawls === 0 || !isCovered(field)); crawls++) {
          // Everything is covered sooner when equal texts do not stay equal, as ids must within a crawl.
          setFault(plantSteering(platform, member, plantings, crawls >= CRAWLS_OF_EQUALS))
          await crawlThroughGate(config, platform, note, counts.maxSteeredMs)
        }
        say(`${field}: ${crawls} crawls, ${Math.round(performance.now() - start)} ms`)
      }
      say(`${platform}: ${sources} sources`)
    } finally {
      await tenant.close()
    }
  }
  const postImport = async (source: string, { format, text }: { format: string; text: string }) => {
    const path = `/findings/import?source=${encodeURIComponent(source)}&format=${format}`
    const headers = { 'content-type': 'application/json' }
    const reply = await (await fetchAgain(server.url + path, { method: 'POST', headers, body: text })).text()
    note(`an import of ${format}`, reply)
    return JSON.parse(reply) as Json
  }
  try {
    const client = await connectHttp(server.url)
    try {
      await Promise.all([scanPlatform('WIKI'), scanPlatform('BI_PLATFORM')])
      for (const each of makeImports(plantings, counts.lines)) {
        const reply = await postImport(`import-${each.format}`, each)
        if (reply.findings === undefined) throw new Error(`an import was refused: ${JSON.stringify(reply)}`)
      }
      const refused = makeRefusedImports(plantings, counts.refusedImports)
      await inParallel(IMPORTERS, async (importer) => {
        for (const each of refused) await postImport(`refused ${importer}`, each)
      })
      say('imports done')
      await repeatInParallel(counts.requests, async () => {
        const paths = [
          `/${encodeURIComponent(take('a path'))}`,
          `/docs/${encodeURIComponent(take('a path of the documentation'))}`,
          `/console/${encodeURIComponent(take('a path of the console'))}`,
          `/?${encodeURIComponent(take('a parameter of the console'))}=${encodeURIComponent(take('a value of the console'))}`,
          `/sources/${encodeURIComponent(take('an id in a path'))}`,
          `/findings?${encodeURIComponent(take('a parameter'))}=${encodeURIComponent(take('a value'))}`,
          `/findings/import?source=${encodeURIComponent(take('a source'))}&format=${encodeURIComponent(take('a format'))}`,
        ]
        for (const path of paths) {
          for (const method of ['GET', 'POST'])
            note(`${method} a planted path`, await (await fetchAgain(server.url + path, { method })).text())
        }
        const headers = {
          authorization: `Basic ${Buffer.from(take('a header')).toString('base64')}`,
          'content-type': 'application/json',
        }
        note(
          'a planted body',
          await (
            await fetchAgain(`${server.url}/semantic/query`, { method: 'POST', headers, body: `{${take('a body')}` })
          ).text(),
        )
      })
      await useProtocol({ url: server.url, client, note }, plantings, counts.requests)
      await introduceClients({ url: server.url, client, note }, plantings, counts.requests)
      say('requests done')
      Object.assign(count, await readEverything({ url: server.url, client, note }, counts.every))
      for (const path of ['/', '/metrics', '/ready', '/openapi.json', '/docs', '/console/', '/semantic/watches.atom'])
        note(path, await (await fetchAgain(server.url + path)).text())
      say('everything read')
      // The files as a snapshot of the disk would have them, with what has not been written back.
      readFiles('while the server runs')
    } finally {
      await client.close()
      await server.stop()
    }
    const query = ['query', 'total-findings', '--by', 'container,findingType']
    const copies = [
      ['backup', join(home, 'copy.db')],
      ['export', '--dir', join(home, 'exported')],
    ]
    const reading = [['findings'], ['sources'], ['doctor'], query, ...copies]
    await plantCommands(counts.commands, plantings, home, note, reading)
    say('commands done')
    await plantFaults(counts.crashes, plantings, home, note)
    say('crashes done')
    readFiles('at the end')
    return { leaks: [...leaks], uncovered: plantings.listUncovered(), ...plantings.counts, ...count }
  } finally {
    remove()
  }
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SampleFault } from '../../src/sample/fault.ts'
import { startPlatform } from '../scans/withheld-run.ts'
import { makeHome, runAssay, serveAssay } from '../support/assay.ts'
import { MarkedPlantings } from '../support/marked-plantings.ts'
import { ask as askOnce, connectHttp } from './estate.ts'
import { introduceClients, readEverything, useProtocol } from './planted-doors.ts'
import { makeImports, makeRefusedImports } from './planted-imports.ts'
import { plantContent, plantSteering } from './planted-tenant.ts'

type Json = Record<string, unknown>

/** How often each thing is planted; without an end until every field had every planting. */
export interface PlantedCounts {
  scans: number
  /** How many of the members that a connector steers by. */
  steered: number
  steeredScans: number
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

const MAX_SCAN_MS = 5000
const DONE = /^(?:COMPLETED|PARTIAL|FAILED|CANCELLED)$/

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
  const assay = async (name: string, args: string[], env: NodeJS.ProcessEnv = {}) => {
    const { stdout, stderr } = await runAssay(args, { home, env: { ASSAY_LOG_LEVEL: 'debug', ...env } })
    note(`assay ${name}`, stdout + stderr)
  }
  const readFiles = (when: string) => {
    for (const each of readdirSync(home, { recursive: true, withFileTypes: true })) {
      if (each.isFile()) note(`${each.name} ${when}`, readFileSync(join(each.parentPath, each.name)).toString())
    }
  }
  const server = await serveAssay(home, ['--log-level', 'debug'])
  server.child.stderr?.on('data', (text) => note('the log', String(text)))
  const count = { findings: 0, assets: 0 }
  let sources = 0
  const scan = async (platform: string, config: object) => {
    const name = `${platform} ${sources++}`
    const created = await ask(server.url, 'POST', '/sources', { name, config })
    const id = String(created.body.id)
    let { body } = await ask(server.url, 'POST', `/sources/${id}/scans`, {})
    const start = performance.now()
    while (!DONE.test(String(body.status))) {
      await sleep(20)
      // A platform whose states nobody understands is waited for.
      if (performance.now() - start > MAX_SCAN_MS) await ask(server.url, 'POST', `/scans/${body.id}/cancel`, {})
      body = (await ask(server.url, 'GET', `/scans/${body.id}`)).body
    }
    note(`a scan of ${platform}`, JSON.stringify(body))
    return id
  }
  const scanPlatform = async (platform: 'WIKI' | 'BI_PLATFORM') => {
    const { server: tenant, config } = await startPlatform({ platform, adminApi: true })
    const isCovered = (prefix: string) => !plantings.listUncovered().some((field) => field.startsWith(prefix))
    const round = async (fault: SampleFault) => {
      tenant.faults.splice(0, tenant.faults.length, fault)
      tenant.requests.length = 0
      const id = await scan(platform, config)
      return id
    }
    try {
      const steer = new Set<string>()
      for (let n = 0; n < counts.scans && (n === 0 || !isCovered(`${platform} /`)); n++) {
        const id = await round(plantContent(platform, plantings, steer))
        if (n < 3)
          note(`a test of ${platform}`, JSON.stringify((await ask(server.url, 'POST', `/sources/${id}/test`, {})).body))
      }
      say(`${platform}: ${sources} sources, steered by ${[...steer].join(' ')}`)
      for (const member of [...steer].slice(0, counts.steered)) {
        const field = `${platform}, steering ${member}`
        for (let n = 0; n < counts.steeredScans && (n === 0 || !isCovered(field)); n++)
          await round(plantSteering(platform, member, plantings))
      }
      say(`${platform}: ${sources} sources`)
    } finally {
      await tenant.close()
    }
  }
  const postImport = async (source: string, { format, text }: { format: string; text: string }) => {
    const path = `/findings/import?source=${source}&format=${format}`
    const headers = { 'content-type': 'application/json' }
    const reply = await (await fetch(server.url + path, { method: 'POST', headers, body: text })).text()
    note(`an import of ${format}`, reply)
    return JSON.parse(reply) as Json
  }
  try {
    const client = await connectHttp(server.url)
    try {
      await scanPlatform('WIKI')
      await scanPlatform('BI_PLATFORM')
      for (const each of makeImports(plantings, counts.lines)) {
        const reply = await postImport(`import-${each.format}`, each)
        if (reply.findings === undefined) throw new Error(`an import was refused: ${JSON.stringify(reply)}`)
      }
      for (const each of makeRefusedImports(plantings, counts.refusedImports)) await postImport('refused', each)
      say('imports done')
      for (let n = 0; n < counts.requests; n++) {
        const paths = [
          `/${encodeURIComponent(take('a path'))}`,
          `/sources/${encodeURIComponent(take('an id in a path'))}`,
          `/findings?${encodeURIComponent(take('a parameter'))}=${encodeURIComponent(take('a value'))}`,
          `/findings/import?source=${encodeURIComponent(take('a source'))}&format=${encodeURIComponent(take('a format'))}`,
        ]
        for (const path of paths) {
          for (const method of ['GET', 'POST'])
            note(`${method} a planted path`, await (await fetch(server.url + path, { method })).text())
        }
        const headers = {
          authorization: `Basic ${Buffer.from(take('a header')).toString('base64')}`,
          'content-type': 'application/json',
        }
        note(
          'a planted body',
          await (
            await fetch(`${server.url}/semantic/query`, { method: 'POST', headers, body: `{${take('a body')}` })
          ).text(),
        )
      }
      await useProtocol({ url: server.url, client, note }, plantings, counts.requests)
      await introduceClients({ url: server.url, client, note }, plantings, counts.requests)
      say('requests done')
      Object.assign(count, await readEverything({ url: server.url, client, note }, counts.every))
      for (const path of ['/metrics', '/ready', '/openapi.json'])
        note(path, await (await fetch(server.url + path)).text())
      say('everything read')
      // The files as a snapshot of the disk would have them, with what has not been written back.
      readFiles('while the server runs')
    } finally {
      await client.close()
      await server.stop()
    }
    for (const command of ['findings', 'sources', 'doctor']) await assay(command, [command])
    await assay('query', ['query', 'total-findings', '--by', 'container,findingType'])
    await assay('backup', ['backup', join(home, 'copy.db')])
    await assay('export', ['export', '--dir', join(home, 'exported')])
    for (let n = 0; n < counts.commands; n++) {
      await assay('query TEXT', ['query', take('assay query')])
      await assay('TEXT', [take('assay')])
      await assay('import TEXT', [
        'import',
        join(home, take('assay import').replaceAll(/[\0/]/g, '')),
        '--source',
        take('assay import --source'),
      ])
      await assay('findings --TEXT', ['findings', `--${take('assay findings --')}`])
      await assay('findings --search', ['findings', '--search', take('assay findings --search')])
      await assay('call NAME', ['call', take('assay call'), '{}'])
      await assay('call JSON', ['call', 'get_metric', take('assay call get_metric')])
    }
    say('commands done')
    await crash(counts.crashes, plantings, assay)
    say('crashes done')
    readFiles('at the end')
    return { leaks: [...leaks], uncovered: plantings.listUncovered(), ...plantings.counts, ...count }
  } finally {
    remove()
  }
}

/** What is thrown beside the program's own work, after it has begun. */
const faults: Readonly<Record<string, string>> = {
  'an error': 'throw Object.assign(new Error(text), { name: text, code: text, detail: text })',
  'a cause': 'throw new Error("failed", { cause: new Error(text) })',
  'a text': 'throw text',
  'a rejection': 'Promise.reject(new AggregateError([new Error(text)], text))',
  'a warning': 'process.emitWarning(text)',
}

/** Ends the program by faults that nobody expects, each of which says what is planted. */
async function crash(
  count: number,
  plantings: MarkedPlantings,
  assay: (name: string, args: string[], env: NodeJS.ProcessEnv) => Promise<void>,
): Promise<void> {
  for (let n = 0; n < count; n++) {
    for (const [name, fault] of Object.entries(faults)) {
      const text = JSON.stringify(plantings.take(`crash by ${name}`))
      const script = `const text = ${text}
        const wait = setInterval(() => {
          if (process.listenerCount('uncaughtException') === 0) return
          clearInterval(wait)
          setTimeout(() => { ${fault} }, 50)
        }, 5)`
      const NODE_OPTIONS = `--import=data:text/javascript;base64,${Buffer.from(script).toString('base64')}`
      await assay(`mcp, ended by ${name}`, ['mcp'], { NODE_OPTIONS })
    }
  }
}

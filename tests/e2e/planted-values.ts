import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSampleBi } from '../../src/sample/bi/server.ts'
import { BiTenant } from '../../src/sample/bi/tenant.ts'
import { toGuid } from '../../src/sample/ids.ts'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { startSampleWiki } from '../../src/sample/wiki/server.ts'
import { WikiTenant } from '../../src/sample/wiki/tenant.ts'
import { makeHome, serveAssay } from '../support/assay.ts'
import {
  disguiseNames,
  listNumbers,
  type Planting,
  plantReported,
  SecretFinder,
} from '../support/reported-plantings.ts'
import { ask, connectHttp } from './estate.ts'
import { runCommands } from './planted-commands.ts'
import { readEverything } from './planted-doors.ts'
import { readInParts } from './planted-texts.ts'

type Json = Record<string, unknown>

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The value where it is reported, and beside itself at a distance at which an excerpt ends within it. */
const toText = ({ text, bare }: Planting) => `Notes: ${text} and more words, then x${bare}${bare}x at the end.`

/** Where a page has a disguised value besides its text. */
const places: Record<string, (disguised: string) => { title?: string; body?: string; filename?: string }> = {
  title: (disguised) => ({ title: disguised }),
  heading: (disguised) => ({ body: `<h2>${disguised}</h2><p>below</p>` }),
  'link text': (disguised) => ({ body: `<p><a href="https://x.example/a">${disguised}</a></p>` }),
  'link address': (disguised) => ({ body: `<p><a href="https://x.example/docs/${disguised}/b.pdf">it</a></p>` }),
  'linked file': (disguised) => ({ body: `<p><a href="https://x.example/docs/${disguised}.pdf">it</a></p>` }),
  'macro parameter': (disguised) => ({
    body: `<ac:structured-macro ac:name="code"><ac:parameter ac:name="title">${disguised}</ac:parameter><ac:plain-text-body><![CDATA[a]]></ac:plain-text-body></ac:structured-macro>`,
  }),
  'file name': (disguised) => ({ filename: `${disguised}.txt` }),
}

const MAX_TITLE = 250
const at = Date.UTC(2026, 0, 1)

/** Everything that is planted, by a name that its asset has. */
class Estate {
  readonly wiki = new WikiTenant({ now: () => at })
  readonly bi = new BiTenant({ now: () => at })
  readonly lines: string[] = []
  readonly results: Json[] = []
  readonly plantings: Planting[] = []
  /** The planting of an asset by a part of its key. */
  readonly owners = new Map<string, Planting>()
  readonly #space = this.wiki.addSpace({ key: 'ENG', name: 'Engineering' }).id
  readonly #workspace = this.bi.addWorkspace({ name: 'Reports' })

  #own(key: string, planting: Planting): void {
    this.plantings.push(planting)
    this.owners.set(key, planting)
  }

  addPage(planting: Planting, place: string): void {
    // Its last digits are in no value.
    const id = `${1 + this.plantings.length}000000`
    const { title = `Page ${id}`, body = '', filename } = places[place]?.(escapeXml(planting.disguised)) ?? {}
    const content = `<p>${escapeXml(toText(planting))}</p>${body}`
    this.wiki.addPage({
      id,
      spaceId: this.#space,
      title: place === 'title' ? planting.disguised.slice(0, MAX_TITLE) : title,
      body: content,
    })
    this.wiki.addComment(id, { id: `9${id}`, body: '<p>A comment</p>' })
    this.#own(`page:${id}`, planting)
    if (filename === undefined) return
    const bytes = Buffer.from(toText(planting))
    const attached = `${planting.disguised}.txt`
    this.wiki.addAttachment(id, { id: `att${id}`, title: attached, mediaType: 'text/plain', bytes })
  }

  addDataset(planting: Planting): void {
    const id = toGuid(planting.name)
    this.#workspace.datasets.push({
      ...{ id, name: planting.disguised, description: toText(planting), configuredBy: 'ana@shop.com' },
      ...{ createdAt: at, refreshedAt: at, push: false, identityRequired: false, storageMode: 'Import' },
      tables: [{ name: 'Sales', columns: [{ name: 'Amount', dataType: 'Int64' }], measures: [] }],
      ...{ expressions: [], parameters: [], dataSources: [], upstreamDatasets: [], upstreamDataflows: [], roles: [] },
    })
    this.#own(id, planting)
  }

  addLine(planting: Planting): void {
    const key = `file-${this.lines.length}`
    const url = `https://x.example/${key}/${encodeURIComponent(planting.disguised)}`
    this.lines.push(
      JSON.stringify({
        ...{ detectorType: 'SCANNER', findingType: 'LEAK', severity: 'HIGH', firstDetectedAt: '2026-01-01T00:00:00Z' },
        asset: { key, name: planting.disguised, url },
        excerpt: toText(planting),
      }),
    )
    this.#own(key, planting)
  }

  addResult(planting: Planting): void {
    this.results.push({
      ruleId: 'leak',
      message: { text: toText(planting) },
      locations: [{ physicalLocation: { artifactLocation: { uri: `r${this.results.length}/${planting.disguised}` } } }],
    })
    this.#own(`r${this.results.length - 1}`, planting)
  }
}

export interface PlantedValues {
  leaks: string[]
  /** How many values were planted in items, and how many of these were reported. */
  planted: number
  reported: number
}

const DONE = /^(?:COMPLETED|PARTIAL|FAILED|CANCELLED)$/

/**
 * Plants 60 values in items that report them, disguised in another text of the same item, and looks for them wherever
 * something comes out.
 * @param share every so many-th combination of value, place and disguise
 */
export async function findPlantedValues(share: number, say: (text: string) => void): Promise<PlantedValues> {
  const estate = new Estate()
  const finder = new SecretFinder()
  let count = 0
  for (const number of listNumbers()) {
    for (const disguise of disguiseNames) {
      const take = (place: string, add: (planting: Planting) => void) => {
        if (count++ % share !== 0) return
        const planting = plantReported(number, place, disguise)
        add(planting)
        finder.add(planting)
      }
      for (const place of Object.keys(places)) take(place, (planting) => estate.addPage(planting, place))
      take('dataset', (planting) => estate.addDataset(planting))
      take('imported name', (planting) => estate.addLine(planting))
      take('imported result', (planting) => estate.addResult(planting))
    }
  }
  say(`${estate.plantings.length} items`)
  const leaks = new Map<string, string>()
  const note = (where: string, text: string) => {
    for (const [name, around] of finder.find(text)) leaks.set(`${name}: ${where}`, around)
  }
  const wiki = await startSampleWiki({ tenant: estate.wiki })
  const bi = await startSampleBi({ tenant: estate.bi, adminApi: true, scanPolls: 0 })
  const { home, remove } = makeHome()
  const server = await serveAssay(home, ['--log-level', 'debug'])
  server.child.stderr?.on('data', (text) => note('the log', String(text)))
  const { url } = server
  const client = await connectHttp(url)
  const read = new Set<string>()
  const readFiles = () => {
    for (const each of readdirSync(home, { recursive: true, withFileTypes: true })) {
      if (!each.isFile()) continue
      for (const part of readInParts(join(each.parentPath, each.name), read)) note(each.name, part)
    }
  }
  const scan = async ({ name, config }: { name: string; config: Json }) => {
    const required = { ...(config.required as Json) }
    if (config.type !== 'WIKI') required.tenant_id = bi.credentials.tenantId
    const created = await ask(url, 'POST', '/sources', { name, config: { ...config, required } })
    // The second scan finds everything unchanged.
    for (const _scan of [1, 2]) {
      let { body } = await ask(url, 'POST', `/sources/${created.body.id}/scans`, {})
      while (!DONE.test(String(body.status))) {
        await sleep(100)
        body = (await ask(url, 'GET', `/scans/${body.id}`)).body
      }
      if (body.status !== 'COMPLETED') throw new Error(`a scan is ${body.status}: ${JSON.stringify(body)}`)
    }
  }
  const post = async (source: string, format: string, body: string) => {
    const headers = { 'content-type': 'application/json', connection: 'close' }
    const reply = await fetch(`${url}/findings/import?source=${source}&format=${format}`, {
      ...{ method: 'POST', headers, body },
    })
    const text = await reply.text()
    note(`an import of ${format}`, text)
    if (!reply.ok) throw new Error(text)
  }
  try {
    const configs = sampleSourceConfigs({ wikiUrl: wiki.url, biUrl: bi.url, authorityUrl: bi.authorityUrl })
    await Promise.all([scan(configs.wiki), scan(configs.bi)])
    await post('lines', 'ndjson', estate.lines.join('\n'))
    const run = { tool: { driver: { name: 'scanner' } }, results: estate.results }
    await post('results', 'sarif', JSON.stringify({ version: '2.1.0', runs: [run] }))
    say('scanned and imported')
    const { assets } = await readEverything({ url, client, note })
    say(`${assets} assets read`)
    for (const path of ['/metrics', '/openapi.json', '/semantic/watches.atom'])
      note(path, await (await fetch(url + path, { headers: { connection: 'close' } })).text())
    readFiles()
    const reported = await listReported(url, estate)
    await client.close()
    await server.stop()
    const commands = [['findings'], ['findings', '--format', 'csv'], ['sources'], ['backup', join(home, 'copy.db')]]
    await runCommands([...commands, ['export', '--dir', join(home, 'exported')]], home, note)
    readFiles()
    const known = [...leaks].filter(([leak]) => reported.has(leak.split(':')[0] ?? ''))
    return {
      leaks: known.map(([leak, around]) => `${leak}: ${around}`),
      planted: estate.plantings.length,
      reported: reported.size,
    }
  } finally {
    await client.close()
    await server.stop()
    await Promise.all([wiki.close(), bi.close()])
    remove()
  }
}

/** The names of the plantings that were reported in their item; those of an import are masked in its excerpt. */
async function listReported(url: string, { owners }: Estate): Promise<Set<string>> {
  const reported = new Set<string>()
  for (let cursor = ''; ; ) {
    const { body } = await ask(url, 'GET', `/findings?limit=500${cursor}`)
    for (const { asset, detectorType, excerpt } of body.items as {
      asset: Json
      detectorType: string
      excerpt: string
    }[]) {
      const key = String(asset.key)
      const part = /page:\d+$/.exec(key)?.[0] ?? /dataset:([\w-]+)/.exec(key)?.[1] ?? key.split('/')[0] ?? ''
      const found = owners.get(part)
      if (found === undefined) continue
      if (/SECRETS|PII/.test(detectorType) || (detectorType === 'SCANNER' && !excerpt.includes(found.bare)))
        reported.add(found.name)
    }
    if (typeof body.nextCursor !== 'string') return reported
    cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`
  }
}

import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startPlatform } from '../scans/planted-platform.ts'
import { makeHome, serveAssay } from '../support/assay.ts'
import { cases, maxMs } from '../support/long.ts'
import { MarkedPlantings } from '../support/marked-plantings.ts'
import { repeatInParallel } from '../support/parallel.ts'
import { ask as askOnce, connectHttp } from './estate.ts'
import { plantCommands, plantFaults } from './planted-commands.ts'
import { introduceClients, readEverything, useProtocol } from './planted-doors.ts'
import { makeImports, makeRefusedImports } from './planted-imports.ts'
import { plantContent } from './planted-tenant.ts'

/** How often each field is planted; in 190 rounds it has had every credential in every disguise. */
const ROUNDS = cases(1, 190)
const SCANS = cases(1, 20)
const LINES = cases(20, 190)
/** Of the assets and findings, each so many-th is asked for alone. */
const EVERY = cases(100, 25)

/** A connection that was idle may be closed just when it is used again. */
const ask: typeof askOnce = (...asked) => askOnce(...asked).catch(() => askOnce(...asked))
const fetchAgain: typeof fetch = (...asked) => fetch(...asked).catch(() => fetch(...asked))

const PART_BYTES = 256 * 1024
const OVERLAP_BYTES = 8192

/** The text of a file in parts that overlap; without those that were read before, in this or another file. */
function* readInParts(file: string, known: Set<string>): Generator<string> {
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

it(
  'credentials in texts of a tenant, imports, requests and commands are in no file, no response and no log line',
  async () => {
    const plantings = new MarkedPlantings()
    const { home, remove } = makeHome()
    const leaks = new Set<string>()
    const note = (where: string, text: string) => {
      for (const found of plantings.find(text)) leaks.add(`${where}: ${found}`)
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

    const scan = async (platform: 'WIKI' | 'BI_PLATFORM') => {
      const { server: tenant, config } = await startPlatform({ platform, adminApi: true })
      try {
        for (let round = 0; round < SCANS; round++) {
          tenant.faults.splice(0, tenant.faults.length, plantContent(platform, plantings))
          const created = await ask(server.url, 'POST', '/sources', { name: `${platform} ${round}`, config })
          const id = String(created.body.id)
          note(`a test of ${platform}`, JSON.stringify((await ask(server.url, 'POST', `/sources/${id}/test`, {})).body))
          let { body } = await ask(server.url, 'POST', `/sources/${id}/scans`, {})
          while (!DONE.test(String(body.status))) {
            await sleep(100)
            body = (await ask(server.url, 'GET', `/scans/${body.id}`)).body
          }
          note(`a scan of ${platform}`, JSON.stringify(body))
        }
      } finally {
        await tenant.close()
      }
    }

    const postImport = async ({ format, text }: { format: string; text: string }) => {
      const path = `/findings/import?source=import-${format}&format=${format}`
      const headers = { 'content-type': 'application/json' }
      const reply = await fetchAgain(server.url + path, { method: 'POST', headers, body: text })
      note(`an import of ${format}`, await reply.text())
      return reply.status
    }

    const sendRequests = async () => {
      const encode = (field: string) => encodeURIComponent(take(field))
      const paths = [
        ...[`/${encode('a path')}`, `/docs/${encode('a path of the documentation')}`],
        ...[`/console/${encode('a path of the console')}`, `/sources/${encode('an id in a path')}`],
        `/?${encode('a parameter of the console')}=${encode('a value of the console')}`,
        `/findings?${encode('a parameter')}=${encode('a value')}`,
        `/findings/import?source=${encode('a source')}&format=${encode('a format')}`,
      ]
      for (const path of paths) {
        for (const method of ['GET', 'POST'])
          note(`${method} a planted path`, await (await fetchAgain(server.url + path, { method })).text())
      }
      const authorization = `Basic ${Buffer.from(take('a header')).toString('base64')}`
      const headers = { authorization, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: `{${take('a body')}` }
      note('a planted body', await (await fetchAgain(`${server.url}/semantic/query`, init)).text())
    }

    try {
      const client = await connectHttp(server.url)
      const doors = { url: server.url, client, note }
      try {
        await Promise.all([scan('WIKI'), scan('BI_PLATFORM')])
        for (const each of makeImports(plantings, LINES)) expect(await postImport(each)).toBe(200)
        for (let round = 0; round < ROUNDS; round++) {
          for (const each of makeRefusedImports(plantings)) expect(await postImport(each)).toBe(400)
        }
        await repeatInParallel(ROUNDS, sendRequests)
        await useProtocol(doors, plantings, ROUNDS)
        await introduceClients(doors, plantings, ROUNDS)
        const { findings, assets } = await readEverything(doors, EVERY)
        // More than the imports alone bring.
        expect(findings).toBeGreaterThan(2 * LINES)
        expect(assets).toBeGreaterThan(60)
        for (const path of ['/', '/metrics', '/ready', '/openapi.json', '/docs', '/console/', '/semantic/watches.atom'])
          note(path, await (await fetchAgain(server.url + path)).text())
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
      await plantCommands(ROUNDS, plantings, home, note, reading)
      await plantFaults(ROUNDS, plantings, home, note)
      readFiles('at the end')
      expect([...leaks]).toEqual([])
    } finally {
      remove()
    }
  },
  maxMs(300_000),
)

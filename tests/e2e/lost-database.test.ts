import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openApp } from '../../src/app.ts'
import { startServer } from '../../src/commands/serve.ts'
import { loadConfig } from '../../src/config.ts'
import { openLastingCommandLine } from '../cli/command-line.ts'
import { makeHome, serveAssay } from '../support/assay.ts'
import { ask } from './estate.ts'

let home: string
let remove: () => void
let server: { url: string; stop: () => Promise<void> }
beforeEach(async () => {
  ;({ home, remove } = makeHome())
  for (const command of ['init', 'backup'])
    expect((await openLastingCommandLine({}, { home }).run([command])).code).toBe(0)
})
afterEach(async () => {
  await server.stop()
  remove()
})

async function serveHere() {
  const app = await openApp(loadConfig({ home, port: 0, logLevel: 'silent' }, {}), {})
  const { url, close } = await startServer(app)
  app.startBackground()
  const end = async () => {
    await close()
    await app.close()
  }
  let ended: Promise<void> | undefined
  return {
    url,
    stop: () => {
      ended ??= end()
      return ended
    },
  }
}

const file = () => join(home, 'assay.db')
const term = { slug: 'kept', displayName: 'Kept', filterMapping: { severities: ['HIGH'] } }
const line = {
  asset: { key: 'a' },
  detectorType: 'SECRETS',
  findingType: 'KEY',
  severity: 'HIGH',
  firstDetectedAt: '2026-01-01T00:00:00Z',
}

async function importLine() {
  const reply = await fetch(`${server.url}/findings/import?source=scanner`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: JSON.stringify(line),
  })
  return { status: reply.status, body: (await reply.json()) as object }
}

describe('a server whose database', () => {
  it.each<[string, string, () => void]>([
    ['is removed', 'database_missing', () => rmSync(file())],
    [
      'is removed with its log',
      'database_missing',
      () => {
        for (const end of ['', '-wal', '-shm']) rmSync(`${file()}${end}`)
      },
    ],
    [
      'is replaced by a backup',
      'database_replaced',
      () => {
        renameSync(join(home, 'backups', readdirSync(join(home, 'backups'))[0] ?? ''), file())
      },
    ],
    ['loses its log', 'log_missing', () => rmSync(`${file()}-wal`)],
  ])('%s is not ready, acknowledges nothing and answers nothing', async (_, reason, fault) => {
    // One server is a process of its own, of which the exit code counts.
    server = await (reason === 'log_missing' ? serveAssay(home) : serveHere())
    expect((await ask(server.url, 'GET', '/ready')).status).toBe(200)
    expect((await ask(server.url, 'POST', '/semantic/glossary', { ...term, slug: 'before' })).status).toBe(201)
    const hadBackup = !fault.toString().includes('backups')
    fault()
    const before = existsSync(file())
    await expect.poll(async () => (await ask(server.url, 'GET', '/ready')).status).toBe(503)
    const replies = [
      await ask(server.url, 'POST', '/semantic/glossary', term),
      await ask(server.url, 'GET', '/semantic/glossary'),
      await ask(server.url, 'POST', '/semantic/query', { metricSlug: 'total-findings' }),
      await importLine(),
    ]
    expect(replies).toMatchObject(replies.map(() => ({ status: 503, body: { code: 'unavailable', reason } })))
    if (hadBackup) expect(JSON.stringify(replies[0])).toMatch(/assay restore backups\/assay-\d+T\d+Z\.db/)
    expect((await ask(server.url, 'GET', '/health')).status).toBe(200)
    expect(existsSync(file())).toBe(before)
    const startedAt = performance.now()
    await server.stop()
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })
})

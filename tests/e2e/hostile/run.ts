import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { memorySettings } from '../../../src/cli/service-unit.ts'
import { sampleSourceConfigs } from '../../../src/sample/tenants.ts'
import type { Scan } from '../../../src/scans/model.ts'
import { generatedBi } from '../../sample/generated-bi.ts'
import { generatedWiki, toGeneratedId } from '../../sample/generated-wiki.ts'
import { startSampleBi, startSampleWiki } from '../../sample/servers.ts'
import { makeHome, type ServingProcess, serveAssay } from '../../support/assay.ts'
import { readMemory } from '../../support/bench.ts'
import { startOwnPostgres } from '../../support/postgres.ts'
import type { HostileCase } from './cases.ts'

const MEGABYTE = 1024 * 1024
const MAX_MEGABYTES = 600
const MAX_CALM_MS = 10_000
const MAX_HOSTILE_MS = 90_000
/** How long a scan that does not end by itself is watched before it is cancelled. */
const ENDLESS_MS = 12_000
const MAX_HEALTH_MS = 2_000
const PAGES = 44
/** With this latency, the scan of the other tenant takes some seconds. */
const CALM_PAGES = 60
const CALM_LATENCY_MS = 80

const detectors = ['SECRETS', 'PII', 'PROMPT_INJECTION', 'DUPLICATE', 'CONTENT_QUALITY'].map((type) => ({ type }))

export interface HostileBench {
  /** The id of the process of the server. */
  pid: number
  /** What went wrong in a case, a sentence each. */
  run(hostile: HostileCase): Promise<{ problems: string[]; peakMegabytes: number; status: string; calmMs: number }>
  close(): Promise<void>
}

async function startTenant({ platform, faults, file }: HostileCase) {
  if (platform === 'BI_PLATFORM') {
    const tenant = generatedBi({ workspaces: 2, datasets: 4, reports: 4, dashboards: 2, editedAt: 1_700_000_000_000 })
    const server = await startSampleBi({ tenant, adminApi: true, scanPolls: 0, faults })
    const urls = { wikiUrl: server.url, biUrl: server.url, authorityUrl: server.authorityUrl }
    const { config } = sampleSourceConfigs(urls).bi
    const { connection, ...optional } = config.optional as { connection: object }
    const limits = { ...connection, timeout_seconds: 5 }
    return { server, config: { ...config, detectors, optional: { ...optional, connection: limits } } }
  }
  const tenant = generatedWiki({ pages: PAGES, sentences: 5, commentEvery: 4, attachmentEvery: 8 })
  for (let index = 0; file !== undefined && index < 8; index++) {
    const bytes = Buffer.from(file.bytes())
    tenant.addAttachment(toGeneratedId(index), {
      title: file.filename,
      mediaType: 'application/octet-stream',
      bytes,
    })
  }
  const server = await startSampleWiki({ tenant, faults })
  const { config } = sampleSourceConfigs({ wikiUrl: server.url, biUrl: server.url, authorityUrl: server.url }).wiki
  const connection = { max_retries: 1, request_timeout_seconds: 2 }
  const { content } = config.optional as { content: object }
  return { server, config: { ...config, detectors, optional: { content, connection } } }
}

/** Serves a data folder, or a database at `store`, and scans a hostile tenant next to another one. */
export async function openHostileBench(store?: string): Promise<HostileBench> {
  const { home, remove } = makeHome()
  const env = { ...memorySettings, ...(store === undefined ? {} : { ASSAY_STORE: store }) }
  const server: ServingProcess = await serveAssay(home, [], env)
  const calm = await startSampleWiki({ tenant: generatedWiki({ pages: CALM_PAGES }), latencyMs: CALM_LATENCY_MS })
  const pid = server.child.pid ?? 0

  const ask = async <T>(path: string, body?: object): Promise<T> => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const reply = await fetch(`${server.url}${path}`, { ...init, headers: { 'content-type': 'application/json' } })
    const answer = await reply.json()
    if (!reply.ok) throw new Error(`${path} was answered ${reply.status}: ${JSON.stringify(answer).slice(0, 500)}`)
    return answer as T
  }
  const isOver = ({ status }: Scan) => status !== 'RUNNING' && status !== 'QUEUED'
  const untilOver = async (id: string, limitMs: number) => {
    const started = performance.now()
    for (;;) {
      const scan = await ask<Scan>(`/scans/${id}`)
      const ms = performance.now() - started
      if (isOver(scan) || ms > limitMs) return { scan, ms }
      await sleep(50)
    }
  }
  const addSource = (name: string, config: object) => ask('/sources', { name, config })
  const start = async (name: string) => (await ask<Scan>(`/sources/${name}/scans`, { full: true })).id
  const { config } = sampleSourceConfigs({ wikiUrl: calm.url, biUrl: calm.url, authorityUrl: calm.url }).wiki
  const run = crypto.randomUUID().slice(0, 8)
  const calmName = `calm-${run}`
  await addSource(calmName, { ...config, detectors })
  await untilOver(await start(calmName), 60_000)
  let cases = 0

  /** Asks whether the server is healthy until it is stopped; returns the longest time of an answer. */
  const watchHealth = () => {
    let stopped = false
    let longest = 0
    const watching = (async () => {
      while (!stopped) {
        const asked = performance.now()
        await fetch(`${server.url}/health`, { signal: AbortSignal.timeout(30_000) }).then((reply) => {
          if (!reply.ok) throw new Error(`/health was answered ${reply.status}`)
        })
        longest = Math.max(longest, performance.now() - asked)
        await sleep(100)
      }
    })()
    return async () => {
      stopped = true
      await watching
      return longest
    }
  }

  return {
    pid,
    async run(hostile) {
      const problems: string[] = []
      const tenant = await startTenant(hostile)
      const name = `case-${run}-${++cases}`
      // The peak of memory starts over.
      writeFileSync(`/proc/${pid}/clear_refs`, '5')
      const stopWatching = watchHealth()
      try {
        await addSource(name, tenant.config)
        const id = await start(name)
        await sleep(300)
        const calmScan = await untilOver(await start(calmName), 60_000)
        if (calmScan.ms > MAX_CALM_MS) problems.push(`the other scan took ${Math.round(calmScan.ms)} ms`)
        if (calmScan.scan.status !== 'COMPLETED') problems.push(`the other scan ended ${calmScan.scan.status}`)
        let { scan } = await untilOver(id, hostile.isEndless ? ENDLESS_MS : MAX_HOSTILE_MS)
        if (!isOver(scan)) {
          if (!hostile.isEndless) problems.push('the scan did not end')
          await ask(`/scans/${id}/cancel`, {})
          scan = (await untilOver(id, 10_000)).scan
          if (!isOver(scan)) problems.push('the scan could not be cancelled')
        }
        if (scan.reason === 'internal' || scan.failures.some(({ code }) => code === 'internal')) {
          problems.push(`the scan ended ${scan.status} ${scan.reason}: ${JSON.stringify(scan.failures).slice(0, 300)}`)
        }
        if (scan.status === 'FAILED' && scan.reason === 'list_too_long')
          problems.push('an endless list failed the scan')
        for (const path of ['/scans?limit=500', '/findings?limit=500', '/assets?limit=500']) await ask(path)
        // Scans of earlier cases may resume meanwhile, which the platform asked for.
        for (const source of [name, calmName]) {
          const left = await ask<{ items: Scan[] }>(`/scans?status=RUNNING&source=${source}`)
          if (left.items.length > 0) problems.push(`a scan of ${source} is left RUNNING`)
        }
        const peakMegabytes = Math.round((readMemory(pid)?.peak ?? 0) / MEGABYTE)
        if (peakMegabytes > MAX_MEGABYTES) problems.push(`the process took ${peakMegabytes} MB`)
        const longest = await stopWatching()
        if (longest > MAX_HEALTH_MS) problems.push(`/health was answered after ${Math.round(longest)} ms`)
        return {
          problems,
          peakMegabytes,
          status: `${scan.status} ${scan.reason ?? ''}`,
          calmMs: Math.round(calmScan.ms),
        }
      } catch (error) {
        await stopWatching().catch(() => {})
        return { problems: [...problems, String(error)], peakMegabytes: 0, status: '', calmMs: 0 }
      } finally {
        await tenant.server.close()
      }
    },
    async close() {
      await server.stop()
      await calm.close()
      remove()
    },
  }
}

/** Gives work an empty database on a PostgreSQL server of its own. */
export async function withOwnDatabase(work: (store: string) => Promise<void>): Promise<void> {
  const server = await startOwnPostgres()
  try {
    server.run('CREATE DATABASE findings')
    await work(`${server.url}/findings`)
  } finally {
    server.stop()
  }
}

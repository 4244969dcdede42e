import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../src/sample/ids.ts'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { generatedWiki } from '../../src/sample/wiki/generated.ts'
import { startSampleWiki } from '../../src/sample/wiki/server.ts'
import { Store } from '../../src/store/store.ts'
import { makeHome, runAssay, serveAssay } from '../support/assay.ts'

export interface Shutdowns {
  /** Exit codes, and how long each end took in milliseconds. */
  ends: { code: number | null; ms: number; twice: boolean }[]
  damages: string[]
  /** Status of the scan that all servers worked on, in the end. */
  status: string
}

const line = (key: string) =>
  JSON.stringify({
    asset: { key },
    detectorType: 'YARA',
    findingType: 'DROPPER',
    severity: 'HIGH',
    firstDetectedAt: '2026-10-01T08:00:00Z',
  })

/** Stops a server at random moments while it scans, imports and answers; the next one goes on where it was. */
export async function stopServers(times: number, seed: number): Promise<Shutdowns> {
  const random = createRandom(`shutdown ${seed}`)
  const wiki = await startSampleWiki({ tenant: generatedWiki({ pages: 40 * times, sentences: 6 }), latencyMs: 5 })
  const { home, remove } = makeHome()
  const result: Shutdowns = { ends: [], damages: [], status: '' }
  try {
    const { config } = sampleSourceConfigs({ wikiUrl: wiki.url, biUrl: wiki.url, authorityUrl: wiki.url }).wiki
    const detectors = [{ type: 'SECRETS', enabled: true }]
    const input = JSON.stringify({ name: 'wiki', config: { ...config, detectors } })
    await runAssay(['call', 'create_source', input], { home })
    for (let turn = 0; turn < times; turn++) {
      const server = await serveAssay(home)
      const ignore = () => undefined
      await fetch(`${server.url}/sources/wiki/scans`, { method: 'POST' }).catch(ignore)
      if (random() < 0.5) {
        const body = Array.from({ length: 3_000 }, (_, index) => line(`${turn}-${index}`)).join('\n')
        const headers = { 'content-type': 'application/x-ndjson' }
        fetch(`${server.url}/findings/import`, { method: 'POST', body, headers }).catch(ignore)
      }
      if (random() < 0.3) fetch(`${server.url}/scans?limit=1`).catch(ignore)
      await sleep(random() * 900)
      const twice = random() < 0.3
      const started = performance.now()
      const stopped = server.stop()
      if (twice) {
        await sleep(random() * 100)
        server.child.kill('SIGTERM')
      }
      const code = await stopped
      result.ends.push({ code, ms: performance.now() - started, twice })
      result.damages.push(...examine(home))
    }
    await runAssay(['scan', 'wiki'], { home })
    const { stdout } = await runAssay(['call', 'list_scans', '{"source":"wiki","limit":1}'], { home })
    result.status = (JSON.parse(stdout) as { items: { status: string }[] }).items[0]?.status ?? ''
    return result
  } finally {
    await wiki.close()
    remove()
  }
}

function examine(home: string): string[] {
  const store = Store.open(join(home, 'assay.db'), { now: Date.now })
  try {
    const { integrity, foreignKeys } = store.examine()
    const { counted, findings } = store.read((reader) =>
      reader
        .prepare(
          'SELECT (SELECT coalesce(sum(n), 0) FROM combo) AS counted, (SELECT count(*) FROM finding) AS findings',
        )
        .get(),
    ) as { counted: number; findings: number }
    return [
      ...(integrity === 'ok' && foreignKeys === 0 ? [] : [`${integrity}, ${foreignKeys} broken references`]),
      ...(counted === findings ? [] : [`${findings} findings, ${counted} counted`]),
    ]
  } finally {
    store.close()
  }
}

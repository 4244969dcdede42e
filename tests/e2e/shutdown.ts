import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../src/sample/ids.ts'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { Store } from '../../src/store/store.ts'
import { addSource, openLastingCommandLine } from '../cli/command-line.ts'
import { generatedWiki } from '../sample/generated-wiki.ts'
import { startSampleWiki } from '../sample/servers.ts'
import { makeHome, serveAssay } from '../support/assay.ts'
import { importLine } from '../support/import-line.ts'
import { waitedMs } from './windows.ts'

export interface Shutdowns {
  /** Exit codes, and how long each end took, without the time that no core was free for it; after a second signal too. */
  ends: { code: number | NodeJS.Signals | null; ms: number; afterSecondMs?: number }[]
  damages: string[]
  /** Status of the scan that all servers worked on, in the end. */
  status: string
}

/** How a server may end; one that is asked twice may have let go of its handlers when the second signal comes. */
export const endings = (isAskedTwice: boolean) => (isAskedTwice ? [0, 1, 'SIGTERM'] : [0])

/** Stops a server at random moments while it scans, imports and answers; the next one goes on where it was. */
export async function stopServers(times: number, seed: number): Promise<Shutdowns> {
  const random = createRandom(`shutdown ${seed}`)
  const wiki = await startSampleWiki({ tenant: generatedWiki({ pages: 40 * times, sentences: 6 }), latencyMs: 5 })
  const { home, remove } = makeHome()
  const result: Shutdowns = { ends: [], damages: [], status: '' }
  try {
    const { config } = sampleSourceConfigs({ wikiUrl: wiki.url, biUrl: wiki.url, authorityUrl: wiki.url }).wiki
    const detectors = [{ type: 'SECRETS', enabled: true }]
    await addSource(home, { name: 'wiki', config: { ...config, detectors } })
    for (let turn = 0; turn < times; turn++) {
      const server = await serveAssay(home)
      const ignore = () => undefined
      await fetch(`${server.url}/sources/wiki/scans`, { method: 'POST' }).catch(ignore)
      if (random() < 0.5) {
        const body = Array.from({ length: 3_000 }, (_, index) => importLine(`${turn}-${index}`)).join('\n')
        const headers = { 'content-type': 'application/x-ndjson' }
        fetch(`${server.url}/findings/import`, { method: 'POST', body, headers }).catch(ignore)
      }
      if (random() < 0.3) fetch(`${server.url}/scans?limit=1`).catch(ignore)
      await sleep(random() * 900)
      const twice = random() < 0.3
      const pid = server.child.pid ?? 0
      const clock = openClock(pid)
      const stopped = server.closed
      server.child.kill('SIGTERM')
      if (twice) await sleep(random() * 100)
      const secondAt = twice ? clock.readMs() : undefined
      if (twice) server.child.kill('SIGTERM')
      const [code, ms] = await Promise.all([stopped, clock.untilEndMs(stopped)])
      result.ends.push({
        code: code ?? server.child.signalCode,
        ms,
        ...(secondAt === undefined ? {} : { afterSecondMs: ms - secondAt }),
      })
      result.damages.push(...examine(home))
    }
    const { run } = openLastingCommandLine({}, { home })
    // A scan that no server has begun counts as running for five seconds, so that the command refuses.
    for (let tries = 1; (await run(['scan', 'wiki'])).code !== 0 && tries < 15; tries++) await sleep(500)
    const { stdout } = await run(['call', 'list_scans', '{"source":"wiki","limit":1}'])
    result.status = (JSON.parse(stdout) as { items: { status: string }[] }).items[0]?.status ?? ''
    return result
  } finally {
    await wiki.close()
    remove()
  }
}

/** Milliseconds that a process has had a core or something to wait for. */
function openClock(pid: number) {
  const from = performance.now()
  const waitedBefore = waitedMs(pid)
  let waited = 0
  const look = () => {
    waited = Math.max(waited, waitedMs(pid) - waitedBefore)
  }
  const timer = setInterval(look, 5)
  const readMs = () => performance.now() - from - waited
  return {
    readMs,
    untilEndMs: async (ended: Promise<unknown>): Promise<number> => {
      await ended
      clearInterval(timer)
      return readMs()
    },
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

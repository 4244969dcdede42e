import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../src/sample/ids.ts'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { Store } from '../../src/store/store.ts'
import { addSource } from '../cli/command-line.ts'
import { generatedWiki } from '../sample/generated-wiki.ts'
import { type SampleWiki, startSampleWiki } from '../sample/servers.ts'
import { mainFile, makeHome } from '../support/assay.ts'
import { snapshotOf } from './workbench.ts'

export interface KilledScan {
  /** What is stored after an undisturbed scan, and after one that was killed so often. */
  calm: unknown[]
  killed: unknown[]
  /** Requests for a page of a listing, in all runs together. */
  listings: { calm: number; killed: number }
  /** Runs that a kill met in the middle of the scan. */
  kills: number
  /** Problems of the database file that a kill left behind. */
  damages: string[]
}

const isListing = ({ path }: { path: string }) => /\/spaces\/\d+\/pages$/.test(path)

/**
 * Scans a generated wiki by the command line: once undisturbed, and once killed without warning at random moments, each
 * after so many requests and a little time, and started again until it ends.
 */
export async function scanUnderKills(options: { pages: number; kills: number; seed: number }): Promise<KilledScan> {
  const random = createRandom(`kills ${options.seed}`)
  const tenant = generatedWiki({ pages: options.pages, sentences: 8, plantEvery: 4 })
  const wiki = await startSampleWiki({ tenant, latencyMs: 8 })
  const homes = [makeHome(), makeHome()] as const
  try {
    await addWiki(homes[0].home, wiki)
    // The same key gives the same fingerprints.
    cpSync(homes[0].home, homes[1].home, { recursive: true })
    const ids = listingsSince(wiki, 0)
    await finish(startScan(homes[0].home))
    const listings = { calm: listingsSince(wiki, 0) - ids, killed: 0 }
    const perKill = Math.ceil(wiki.requests.length / options.kills)
    const before = wiki.requests.length
    const damages: string[] = []
    let kills = 0
    while (kills < options.kills) {
      const requests = wiki.requests.length + 1 + Math.floor(random() * perKill)
      const pauseMs = random() * 12
      const child = startScan(homes[1].home)
      const ended = finish(child)
      let running = true
      void ended.then(() => {
        running = false
      })
      while (running && wiki.requests.length < requests) await sleep(1)
      await sleep(pauseMs)
      child.kill('SIGKILL')
      const code = await ended
      if (code !== null) break
      kills++
      damages.push(...examine(homes[1].home))
    }
    await finish(startScan(homes[1].home))
    listings.killed = listingsSince(wiki, before)
    return { calm: contentOf(homes[0].home), killed: contentOf(homes[1].home), listings, kills, damages }
  } finally {
    await wiki.close()
    for (const { remove } of homes) remove()
  }
}

const listingsSince = (wiki: SampleWiki, from: number) => wiki.requests.slice(from).filter(isListing).length

async function addWiki(home: string, wiki: SampleWiki): Promise<void> {
  const { config } = sampleSourceConfigs({ wikiUrl: wiki.url, biUrl: wiki.url, authorityUrl: wiki.url }).wiki
  await addSource(home, { name: 'wiki', config })
}

function startScan(home: string): ChildProcess {
  return spawn(process.execPath, [mainFile, 'scan', 'wiki', '--json'], {
    env: { ...process.env, ASSAY_HOME: home },
    stdio: 'ignore',
  })
}

/** The exit code; null when the process was killed. */
const finish = (child: ChildProcess): Promise<number | null> => new Promise((resolve) => child.once('close', resolve))

function examine(home: string): string[] {
  const store = Store.open(join(home, 'assay.db'), { now: Date.now })
  try {
    const { integrity, foreignKeys } = store.examine()
    return [
      ...(integrity === 'ok' ? [] : [integrity]),
      ...(foreignKeys === 0 ? [] : [`${foreignKeys} broken references`]),
    ]
  } finally {
    store.close()
  }
}

function contentOf(home: string): unknown[] {
  const store = Store.open(join(home, 'assay.db'), { now: Date.now })
  try {
    return [
      ...store.read((reader) => reader.prepare('SELECT status, count(*) AS n FROM scan GROUP BY status').all()),
      ...store.read((reader) =>
        reader
          .prepare('SELECT discovered, scanned, unchanged, findings_new, findings_again, findings_resolved FROM scan')
          .all(),
      ),
      ...snapshotOf(store),
    ]
  } finally {
    store.close()
  }
}

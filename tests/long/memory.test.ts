import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { Store } from '../../src/store/store.ts'
import { createSource, mainFile, makeHome } from '../support/assay.ts'
import { readMemory } from '../support/bench.ts'
import { startWikiProcess } from '../support/wiki-process.ts'

/** Fewer where it is asked for, with as many attachments and links a page. */
const PAGES = Number(process.env.ASSAY_LONG_PAGES ?? 100_000)
const MEGABYTE = 1024 * 1024
const MAX_ENTRIES = 400 * MEGABYTE

function count(home: string): { pages: number; attachments: number; links: number } {
  const store = Store.open(join(home, 'assay.db'), { now: Date.now })
  const { pages, attachments, links } = store.read((reader) =>
    reader
      .prepare(
        `SELECT sum(k.text = 'wiki.page') AS pages, sum(k.text = 'wiki.attachment') AS attachments,
           (SELECT count(*) FROM asset_link) AS links FROM asset a JOIN word k ON k.id = a.kind_id`,
      )
      .get(),
  ) as { pages: number; attachments: number; links: number }
  store.close()
  return { pages, attachments, links }
}

it.runIf(process.platform === 'linux').each([[PAGES, PAGES / 5, PAGES * 10]])(
  'a scan of %i pages with %i attachments and %i links takes no more than 400 MB',
  async () => {
    const wiki = await startWikiProcess({ pages: PAGES, latencyMs: 0, attachmentEvery: 5, links: 10 })
    const { home, remove } = makeHome()
    try {
      const { config } = sampleSourceConfigs({ wikiUrl: wiki.url, biUrl: wiki.url, authorityUrl: wiki.url }).wiki
      await createSource(home, { name: 'wiki', config })
      const started = performance.now()
      const child = spawn(process.execPath, [mainFile, 'scan', 'wiki'], {
        env: { ...process.env, ASSAY_HOME: home },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      const readings: { seconds: number; resident: number }[] = []
      let peak = 0
      const timer = setInterval(() => {
        const memory = readMemory(child.pid ?? 0)
        if (memory === undefined) return
        peak = Math.max(peak, memory.peak)
        readings.push({ seconds: (performance.now() - started) / 1000, resident: memory.now })
      }, 200)
      const code = await new Promise((resolve) => child.once('close', resolve))
      clearInterval(timer)
      const seconds = readings.at(-1)?.seconds ?? 0
      const floors = Array.from({ length: 10 }, (_, part) => {
        const within = readings.filter((reading) => Math.floor((reading.seconds / seconds) * 10) === part)
        return Math.round(Math.min(...within.map(({ resident }) => resident)) / MEGABYTE)
      })
      const { pages, attachments, links } = count(home)
      process.stdout.write(
        `${pages} pages, ${attachments} attachments, ${links} links in ${seconds.toFixed(0)} s: peak ${(peak / MEGABYTE).toFixed(0)} MB, ` +
          `least of each tenth of the time ${floors.join(' ')} MB\n`,
      )
      expect({ code, pages, attachments }).toEqual({ code: 0, pages: PAGES, attachments: PAGES / 5 })
      expect(links).toBeGreaterThanOrEqual(PAGES * 10)
      expect(peak).toBeGreaterThan(0)
      expect(peak).toBeLessThan(MAX_ENTRIES)
    } finally {
      await wiki.close()
      remove()
    }
  },
)

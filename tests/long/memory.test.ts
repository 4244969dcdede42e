import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { mainFile, makeHome, runAssay } from '../support/assay.ts'
import { readMemory } from '../support/bench.ts'
import { startWikiProcess } from '../support/wiki-process.ts'

const MOST = 400 * 1024 * 1024

it.runIf(process.platform === 'linux').each([10_000, 50_000])(
  'a scan of %i pages takes no more than 400 MB',
  async (pages) => {
    const wiki = await startWikiProcess({ pages, latencyMs: 0 })
    const { home, remove } = makeHome()
    try {
      const { config } = sampleSourceConfigs({ wikiUrl: wiki.url, biUrl: wiki.url, authorityUrl: wiki.url }).wiki
      await runAssay(['call', 'create_source', JSON.stringify({ name: 'wiki', config })], { home })
      const child = spawn(process.execPath, [mainFile, 'scan', 'wiki'], {
        env: { ...process.env, ASSAY_HOME: home },
        stdio: 'ignore',
      })
      let peak = 0
      const timer = setInterval(() => {
        peak = Math.max(peak, readMemory(child.pid ?? 0)?.peak ?? 0)
      }, 200)
      const code = await new Promise((resolve) => child.once('close', resolve))
      clearInterval(timer)
      expect(code).toBe(0)
      expect(peak).toBeGreaterThan(0)
      expect(peak).toBeLessThan(MOST)
    } finally {
      await wiki.close()
      remove()
    }
  },
)

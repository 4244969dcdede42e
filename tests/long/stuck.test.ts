import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { Store } from '../../src/store/store.ts'
import { generatedWiki } from '../sample/generated-wiki.ts'
import { startSampleWiki } from '../sample/servers.ts'
import { snapshotOf } from '../scans/workbench.ts'
import { createSource, mainFile, makeHome, runAssay, serveAssay } from '../support/assay.ts'

it('a scan whose process is paused is claimed by another, and the resumed process cannot write', async () => {
  const wiki = await startSampleWiki({ tenant: generatedWiki({ pages: 600, sentences: 5 }), latencyMs: 30 })
  const [calm, home] = [makeHome(), makeHome()]
  try {
    const { config } = sampleSourceConfigs({ wikiUrl: wiki.url, biUrl: wiki.url, authorityUrl: wiki.url }).wiki
    await createSource(calm.home, { name: 'wiki', config })
    cpSync(calm.home, home.home, { recursive: true })
    await runAssay(['scan', 'wiki'], calm)
    const from = wiki.requests.length
    const stuck = spawn(process.execPath, [mainFile, 'scan', 'wiki'], {
      env: { ...process.env, ASSAY_HOME: home.home },
      stdio: 'ignore',
    })
    const ended = once(stuck, 'close')
    while (wiki.requests.length < from + 30) await sleep(10)
    stuck.kill('SIGSTOP')
    const stoppedAt = Date.now()
    const server = await serveAssay(home.home)
    const look = async () =>
      ((await (await fetch(`${server.url}/scans?limit=1`)).json()) as { items: { status: string }[] }).items[0]?.status
    while ((await look()) !== 'COMPLETED' && Date.now() - stoppedAt < 90_000) await sleep(500)
    expect(await look()).toBe('COMPLETED')
    stuck.kill('SIGCONT')
    await ended
    expect(await look()).toBe('COMPLETED')
    await server.stop()
    const contentOf = (folder: string) => {
      const store = Store.open(join(folder, 'assay.db'), { now: Date.now })
      const content = snapshotOf(store)
      store.close()
      return content
    }
    expect(contentOf(home.home)).toEqual(contentOf(calm.home))
  } finally {
    await wiki.close()
    calm.remove()
    home.remove()
  }
})

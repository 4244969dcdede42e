import { spawn } from 'node:child_process'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { createSource, mainFile, makeHome } from '../support/assay.ts'
import { print, printMachine, readCount, readFlags, readMemory, saveResults } from '../support/bench.ts'
import { startWikiProcess } from '../support/wiki-process.ts'

// The first scan of a generated wiki by the built program, and the second, which finds nothing changed.
// npm run bench -- scan [--pages 1000] [--latency 20] [--json FILE]

const flags = readFlags({ pages: '1000', latency: '20' })
const pages = readCount('pages', flags.pages)

/** Scans by the command line; returns the most memory that it had resident, in bytes. */
async function scan(home: string): Promise<number> {
  const child = spawn(process.execPath, [mainFile, 'scan', 'wiki'], {
    env: { ...process.env, ASSAY_HOME: home },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  let peak = Number.NaN
  const timer = setInterval(() => {
    peak = readMemory(child.pid ?? 0)?.peak ?? peak
  }, 100)
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  clearInterval(timer)
  if (code !== 0) throw new Error(`the scan ended with ${code}`)
  return peak
}

const wiki = await startWikiProcess({ pages, latencyMs: Number(flags.latency) })
const { home, remove } = makeHome()
try {
  printMachine()
  const { url } = wiki
  const { config } = sampleSourceConfigs({ wikiUrl: url, biUrl: url, authorityUrl: url }).wiki
  await createSource(home, { name: 'wiki', config })
  const runs = []
  for (const name of ['first', 'second']) {
    const before = await wiki.countRequests()
    const started = performance.now()
    const peak = await scan(home)
    const seconds = (performance.now() - started) / 1000
    const requests = (await wiki.countRequests()) - before
    const megabytes = peak / 1e6
    runs.push({ name, seconds, requests, megabytes })
    const speed = (pages / seconds).toFixed(0)
    print(
      `${name} scan of ${pages} pages, ${flags.latency} ms a request: ${seconds.toFixed(1)} s, ${speed} pages a second, ` +
        `${(requests / pages).toFixed(2)} requests a page, ${megabytes.toFixed(0)} MB resident`,
    )
  }
  saveResults(flags.json, { pages, latencyMs: Number(flags.latency), runs })
} finally {
  await wiki.close()
  remove()
}

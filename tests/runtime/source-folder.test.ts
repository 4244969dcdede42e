import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { sampleCredentials } from '../../src/sample/credentials.ts'
import { startWikiProcess } from '../support/wiki-process.ts'

const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

it('scans from the sources when it is started in another folder', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-elsewhere-'))
  const wiki = await startWikiProcess({ pages: 2, latencyMs: 0 })
  try {
    const run = (...args: string[]) =>
      spawnSync(process.execPath, ['--import', loader, main, ...args, '--home', folder], {
        cwd: folder,
        encoding: 'utf8',
      })
    const config = {
      type: 'WIKI',
      required: { base_url: wiki.url, account_email: sampleCredentials.accountEmail },
      masked: { api_token: sampleCredentials.apiToken },
      detectors: [{ type: 'SECRETS', enabled: true }],
    }
    expect(run('call', 'create_source', JSON.stringify({ name: 'wiki', config }))).toMatchObject({ status: 0 })
    const { stdout } = run('scan', 'wiki', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ status: 'COMPLETED', failures: [] })
  } finally {
    await wiki.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

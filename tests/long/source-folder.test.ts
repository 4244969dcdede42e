import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { sampleCredentials } from '../../src/sample/credentials.ts'
import { createSource } from '../support/assay.ts'
import { startWikiProcess } from '../support/wiki-process.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

it('scans when it is run from source in another folder', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-elsewhere-'))
  const wiki = await startWikiProcess({ pages: 2, latencyMs: 0 })
  try {
    const config = {
      type: 'WIKI',
      required: { base_url: wiki.url, account_email: sampleCredentials.accountEmail },
      masked: { api_token: sampleCredentials.apiToken },
      detectors: [{ type: 'SECRETS', enabled: true }],
    }
    await createSource(folder, { name: 'wiki', config })
    const args = [main, 'scan', 'wiki', '--json', '--home', folder]
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    expect(JSON.parse(stdout)).toMatchObject({ status: 'COMPLETED', failures: [] })
  } finally {
    await wiki.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

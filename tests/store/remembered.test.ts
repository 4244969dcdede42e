import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { rememberSecret } from '../../src/kernel/redaction.ts'
import { openVault } from '../../src/store/keys/vault-file.ts'
import { Store } from '../../src/store/store.ts'

vi.mock('../../src/kernel/redaction.ts', async (original) => ({
  ...(await original<typeof import('../../src/kernel/redaction.ts')>()),
  rememberSecret: vi.fn(),
}))

it('a credential is masked in every log line once it has been encrypted or decrypted', () => {
  const home = mkdtempSync(join(tmpdir(), 'assay-remembered-'))
  const store = Store.open(join(home, 'assay.db'), { now: Date.now })
  const vault = openVault({ store, home, env: {}, now: Date.now })
  const sealed = vault.seal('source/one/token', 'secret-one')
  vault.open('source/one/token', sealed)
  expect(vi.mocked(rememberSecret).mock.calls).toEqual([['secret-one'], ['secret-one']])
  store.close()
  rmSync(home, { recursive: true, force: true })
})

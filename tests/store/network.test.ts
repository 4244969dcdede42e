import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { Store } from '../../src/store/store.ts'

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  return { ...fs, statfsSync: vi.fn(fs.statfsSync) }
})

const NFS = 0x6969
const home = mkdtempSync(join(tmpdir(), 'assay-network-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

it.runIf(process.platform === 'linux')(
  'a database on a network file system is neither opened nor created, unless the setting allows it',
  () => {
    vi.mocked(statfsSync).mockImplementation((() => ({ type: NFS, bavail: 1e9, bsize: 4096 })) as never)
    const file = join(home, 'assay.db')
    expect(() => Store.open(file, { now: Date.now })).toThrow('is on NFS')
    expect(existsSync(file)).toBe(false)
    Store.open(file, { now: Date.now, networkFolder: true }).close()
    expect(existsSync(file)).toBe(true)
  },
)

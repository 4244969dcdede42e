import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { writeKeyFile } from '../../src/store/keys/key-file.ts'
import { readKeyStatus, rotateKey } from '../../src/store/keys/key-rotation.ts'
import { openVault } from '../../src/store/keys/vault-file.ts'
import { Store } from '../../src/store/store.ts'

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  return { ...fs, linkSync: vi.fn(fs.linkSync) }
})

const home = mkdtempSync(join(tmpdir(), 'assay-no-links-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

describe('a key on a file system without hard links', () => {
  vi.mocked(linkSync).mockImplementation(() => {
    throw Object.assign(new Error('not supported'), { code: 'ENOTSUP' })
  })

  it('is written, and never replaces another one', () => {
    const file = join(home, 'new.key')
    expect(writeKeyFile(file, Buffer.alloc(32, 1))).toBe(true)
    const first = readFileSync(file, 'utf8')
    expect(writeKeyFile(file, Buffer.alloc(32, 2))).toBe(false)
    expect(readFileSync(file, 'utf8')).toBe(first)
  })

  it('does not change any other file', () => {
    const file = join(home, 'notes.txt')
    writeFileSync(file, 'notes')
    expect(writeKeyFile(file, Buffer.alloc(32, 1))).toBe(false)
    expect(readFileSync(file, 'utf8')).toBe('notes')
  })

  it('can be rotated, and the old key is kept in the folder', () => {
    const folder = mkdtempSync(join(home, 'rotated-'))
    const store = Store.open(join(folder, 'assay.db'), { now: Date.now })
    const place = { store, home: folder, env: {}, now: Date.now }
    const sealed = openVault(place).seal('a', 'x')
    const old = readFileSync(join(folder, 'assay.key'), 'utf8')
    rotateKey(place)
    expect(readKeyStatus(place).problem).toBeUndefined()
    expect(openVault(place).open('a', sealed)).toBe('x')
    const retired = readdirSync(folder).filter((name) => /^assay\.key\../.test(name))
    expect(retired.map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([old])
    store.close()
  })
})

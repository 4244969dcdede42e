import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { replaceFile } from '../../src/runtime/replace-file.ts'
import { isShare } from '../../src/store/place.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-windows-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a file that replaces one that another program has open', () => {
  const [from, to] = [join(folder, 'new'), join(folder, 'old')]
  /** A rename that is refused some times before it succeeds. */
  const refusing = (times: number, code: string) => {
    let calls = 0
    const rename: typeof renameSync = (...paths) => {
      if (calls++ < times) throw Object.assign(new Error('refused'), { code })
      renameSync(...paths)
    }
    return { rename, count: () => calls }
  }

  it.each([
    ['win32', 'EPERM', 2, 3],
    ['win32', 'EBUSY', 1, 2],
    ['win32', 'ENOSPC', 1, 'refused'],
    ['win32', 'EACCES', 1000, 'refused'],
    ['linux', 'EPERM', 1, 'refused'],
  ] as const)('on %s, after %s %i times: %s', (platform, code, times, outcome) => {
    writeFileSync(from, 'new')
    writeFileSync(to, 'old')
    const { rename, count } = refusing(times, code)
    const replace = () => replaceFile(from, to, { platform, rename })
    if (outcome === 'refused') expect(replace).toThrow(outcome)
    else {
      replace()
      expect(count()).toBe(outcome)
    }
    expect(readFileSync(to, 'utf8')).toBe(outcome === 'refused' ? 'old' : 'new')
  })
})

it.each([
  ['\\\\server\\share\\data', true],
  ['\\\\?\\UNC\\server\\share', true],
  ['\\\\?\\C:\\data', false],
  ['\\\\.\\pipe\\assay', false],
  ['C:\\data', false],
])('%s is on another machine: %s', (path, isOnOther) => {
  expect(isShare(path)).toBe(isOnOther)
})

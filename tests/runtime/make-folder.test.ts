import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeFolder } from '../../src/runtime/make-folder.ts'

let place = ''
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'assay-folder-'))
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

test('a folder is created with those above it, each for its user alone, and may exist', () => {
  const folder = join(place, 'a', 'b', 'c')
  for (let time = 0; time < 2; time++) makeFolder(folder, 0o700)
  for (const path of [folder, join(place, 'a', 'b'), join(place, 'a')]) expect(statSync(path).mode & 0o777).toBe(0o700)
})

test('a file in its place, or above it, is an error', () => {
  writeFileSync(join(place, 'file'), '')
  expect(() => makeFolder(join(place, 'file'))).toThrow('EEXIST')
  expect(() => makeFolder(join(place, 'file', 'b'))).toThrow('ENOTDIR')
})

test.skipIf(!existsSync('/proc/self'))('a place that takes no folders is an error', () => {
  expect(() => makeFolder('/proc/assay/home')).toThrow('ENOENT')
})

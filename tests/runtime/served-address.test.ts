import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { announceAddress, createAddressFinder } from '../../src/runtime/served-address.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'assay-served-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

test('an announced address is found until it is withdrawn, five seconds later at the latest', () => {
  let now = 0
  const find = createAddressFinder(home, () => now)
  expect(find()).toBeUndefined()
  const withdraw = announceAddress(home, 'http://127.0.0.1:7411')
  now = 4999
  expect(find()).toBeUndefined()
  now = 5000
  expect(find()).toBe('http://127.0.0.1:7411')
  expect(statSync(join(home, 'served.json')).mode & 0o777).toBe(0o600)
  withdraw()
  now = 10_000
  expect(find()).toBeUndefined()
  expect(readdirSync(home)).toEqual([])
})

test('a server withdraws its own address only', () => {
  const withdraw = announceAddress(home, 'http://127.0.0.1:7411')
  announceAddress(home, 'http://127.0.0.1:7412')
  withdraw()
  expect(createAddressFinder(home, () => 0)()).toBe('http://127.0.0.1:7412')
})

test.each([
  ['a server that was killed', JSON.stringify({ url: 'http://127.0.0.1:7411', pid: 2 ** 22 + 1 })],
  ['an address that is not of a web page', JSON.stringify({ url: 'javascript:alert(1)', pid: process.pid })],
  ['a file that was cut', '{"url":"http://127.0'],
  ['a file without a process', '{"url":"http://127.0.0.1:7411"}'],
])('the address of %s is not found', (_what, text) => {
  writeFileSync(join(home, 'served.json'), text)
  expect(createAddressFinder(home, () => 0)()).toBeUndefined()
})

test('a folder that does not exist announces nothing', () => {
  announceAddress(join(home, 'none'), 'http://127.0.0.1:7411')()
  expect(createAddressFinder(join(home, 'none'), () => 0)()).toBeUndefined()
})

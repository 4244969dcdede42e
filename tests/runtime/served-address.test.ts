import { chmodSync, linkSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { announceServer, createServerFinder, identifyFile } from '../../src/runtime/served-address.ts'

const url = 'http://127.0.0.1:7411'
const questions = { address: url, token: 'ab12', version: '1.0.0', database: '1:2' }
let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'assay-served-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))
const find = () => createServerFinder(home, () => 0)()

test('an announced server is found until it is withdrawn, five seconds later at the latest', () => {
  let now = 0
  const find = createServerFinder(home, () => now)
  expect(find()).toBeUndefined()
  const withdraw = announceServer(home, { url, questions })
  now = 4999
  expect(find()).toBeUndefined()
  now = 5000
  expect(find()).toEqual({ url, questions })
  withdraw()
  now = 10_000
  expect(find()).toBeUndefined()
  expect(readdirSync(home)).toEqual([])
})

test('only the user of the server can read its token, also where others could read an earlier file', () => {
  writeFileSync(join(home, 'served.json'), '{}')
  chmodSync(join(home, 'served.json'), 0o644)
  announceServer(home, { questions })
  expect(statSync(join(home, 'served.json')).mode & 0o777).toBe(0o600)
  expect(find()).toEqual({ questions })
})

test('a server withdraws itself only', () => {
  const withdraw = announceServer(home, { url })
  announceServer(home, { url: 'http://127.0.0.1:7412' })
  withdraw()
  expect(find()).toEqual({ url: 'http://127.0.0.1:7412' })
})

const { pid } = process
test.each([
  ['a server that was killed', { url, questions, pid: 2 ** 22 + 1 }, undefined],
  ['a file without a process', { url, questions }, undefined],
  ['an address that is not of a web page', { url: 'javascript:alert(1)', questions, pid }, { questions }],
  ['questions without a token', { url, questions: { ...questions, token: 1 }, pid }, { url }],
  ['questions at no address', { url, questions: { ...questions, address: '7411' }, pid }, { url }],
])('of %s, only what is usable is found', (_what, written, found) => {
  writeFileSync(join(home, 'served.json'), JSON.stringify(written))
  expect(find()).toEqual(found)
})

test('a file that was cut is no server', () => {
  writeFileSync(join(home, 'served.json'), '{"url":"http://127.0')
  expect(find()).toBeUndefined()
})

test('a folder that does not exist announces nothing', () => {
  home = join(home, 'none')
  announceServer(home, { url })()
  expect(find()).toBeUndefined()
})

test('a file is the same under another path, and a copy is another one', () => {
  const [file, same, copy] = ['a', 'b', 'c'].map((name) => join(home, name)) as [string, string, string]
  writeFileSync(file, '')
  linkSync(file, same)
  writeFileSync(copy, '')
  expect(identifyFile(same)).toBe(identifyFile(file))
  expect(identifyFile(copy)).not.toBe(identifyFile(file))
  expect(identifyFile(join(home, 'd'))).toBeUndefined()
})

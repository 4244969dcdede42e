import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeHome, runAssay } from '../support/assay.ts'
import { openCommandLine } from './command-line.ts'

const detect = (stdin: string, ...args: string[]) => openCommandLine().run(['detect', ...args], stdin)

describe('assay detect', () => {
  it.each([
    ['NOPE', 'NOPE is not a detector; the detectors for texts are SECRETS, PII'],
    ['PII,duplicate', 'duplicate needs more than one text'],
    [',', 'An empty name is not a detector'],
  ])('refuses the types %j', async (types, message) => {
    const { code, stdout, stderr } = await detect('{"id":"1","text":"x"}\n', '--types', types)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
  })

  it('treats empty types as absent', async () => {
    const { home, remove } = makeHome()
    const stdin = '{"id":"1","text":"mail anna.schmidt@northfield.dev"}\n'
    const { code, stdout } = await runAssay(['detect', '--types', ''], { home, stdin })
    remove()
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ id: '1', findings: [{ findingType: 'EMAIL' }] })
  })

  it('reads lines after a byte order mark', async () => {
    const { stdout } = await detect('\ufeff{"id":"1","text":"mail anna.schmidt@northfield.dev"}\r\n')
    expect(JSON.parse(stdout)).toMatchObject({ id: '1', findings: [{ findingType: 'EMAIL' }] })
  })

  it('reads files and folders, without what is hidden or no text', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-detect-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    for (const name of ['b', 'a/deep', '.git', 'node_modules']) mkdirSync(join(folder, name), { recursive: true })
    for (const name of ['z.txt', 'b/1.md', 'a/deep/2.html', '.git/c', 'node_modules/d.md'])
      writeFileSync(join(folder, name), 'mail anna.schmidt@northfield.dev')
    writeFileSync(join(folder, 'b/0.bin'), Buffer.from([0, 1, 2]))
    const { stdout, stderr } = await detect('', folder, join(folder, 'z.txt'))
    const read = stdout.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line)))
    const name = (file: string) => join(folder, file)
    expect(read.map(({ id, findings }) => [id, findings.length])).toEqual(
      ['a/deep/2.html', 'b/1.md', 'z.txt', 'z.txt'].map((file) => [name(file), 1]),
    )
    expect(stderr).toContain('b/0.bin is not a text and was left out.')
    expect(await detect('', join(folder, 'none'))).toMatchObject({ code: 1, stdout: '' })
  })

  it('accepts types in any letter case', async () => {
    const { stdout } = await detect('{"id":"1","text":"mail anna.schmidt@northfield.dev"}\n', '--types', 'pii')
    expect(JSON.parse(stdout)).toMatchObject({ id: '1', findings: [{ findingType: 'EMAIL', start: 5, end: 32 }] })
  })

  it.each([
    ['{"id":"1","text":"x"}\n{"id":2,"text":"x"}', 'Line 2 is not valid: id must be a string.'],
    ['{"id":"1","text":"x"}\n\nno', 'Line 3 is not JSON'],
  ])('names the invalid line of %j', async (stdin, message) => {
    const { code, stderr } = await detect(stdin)
    expect(code).toBe(1)
    expect(stderr).toContain(message)
  })
})

import { describe, expect, it } from 'vitest'
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

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { parseImportLine } from '../../src/imports/read/import-line.ts'
import { mainFile } from '../support/assay.ts'
import { openCommandLine } from './command-line.ts'

const generate = async (...args: string[]) => (await openCommandLine().run(['generate', ...args])).stdout

describe('assay generate', () => {
  it('writes the requested number of lines in the import format, each with a status', async () => {
    const lines = (await generate('--findings', '2345', '--seed', '3')).trimEnd().split('\n')
    expect(lines).toHaveLength(2345)
    const findings = lines.map((text, index) => parseImportLine(JSON.parse(text), index + 1))
    expect(findings.every(({ status }) => status !== undefined)).toBe(true)
    expect(new Set(findings.map(({ fingerprint }) => fingerprint)).size).toBe(2345)
    expect(new Set(findings.map(({ status }) => status)).size).toBe(4)
    expect(new Set(findings.map(({ severity }) => severity)).size).toBe(5)
  })

  it('gives the same lines for the same seed, and others for another', async () => {
    const [first, again, other] = await Promise.all(
      ['5', '5', '6'].map((seed) => generate('--findings', '200', '--seed', seed)),
    )
    expect(again).toBe(first)
    expect(other).not.toBe(first)
  })

  it('writes lines that can be imported, each as a separate finding', async () => {
    const stdin = await generate('--findings', '700', '--seed', '9')
    const { code, stdout } = await openCommandLine().run(['import', '--source', 'made', '--json', '-'], stdin)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ lines: 700, findings: { new: 700, again: 0 } })
  })

  it('requires a whole number', async () => {
    for (const args of [[], ['--findings', 'many'], ['--findings', '-1'], ['--findings', '1', '--seed', 'x']]) {
      expect(await openCommandLine().run(['generate', ...args])).toMatchObject({ code: 2, stdout: '' })
    }
  })

  it('ends without an error when its output is closed', async () => {
    const child = spawn(process.execPath, [mainFile, 'generate', '--findings', '1000000'])
    let told = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      told += text
    })
    child.stdout.once('data', () => child.stdout.destroy())
    const [code] = await once(child, 'close')
    expect({ code, told }).toEqual({ code: 0, told: '' })
  })
})

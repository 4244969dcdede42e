import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { openLastingCommandLine } from '../cli/command-line.ts'
import { mainFile, makeHome, type ProcessResult, runAssay } from '../support/assay.ts'

const example = JSON.parse(readFileSync(new URL('../../mcp.config.example.json', import.meta.url), 'utf8')) as {
  mcpServers: Record<string, { command?: string; args?: string[]; type?: string; url?: string }>
}

const readme = new URL('../../README.md', import.meta.url)

let home: string
let remove: () => void
let first: ProcessResult
let second: ProcessResult
beforeAll(async () => {
  ;({ home, remove } = makeHome())
  first = await runAssay(['demo', '--once', '--home', home], { home })
  second = await runAssay(['demo', '--once', '--home', home], { home })
}, 120_000)
afterAll(() => remove())

describe('the demo', () => {
  it('scans both tenants, prints the dashboard and three answers, and exits', () => {
    expect(first).toMatchObject({ code: 0, stderr: '' })
    for (const part of [
      'sample-history: a year of invented findings',
      'sample-wiki: COMPLETED',
      'sample-bi: COMPLETED',
      'Total findings',
      'False positive rate',
      'Scan coverage',
      'assay mcp',
    ]) {
      expect(first.stdout).toContain(part)
    }
    expect(first.stdout.match(/^\? /gm)).toHaveLength(3)
    expect(first.stdout).toMatch(/ Engineering: \d+ found, \d+ scanned, 0 unchanged/)
  })

  it('has the answer that the README shows', async () => {
    const withoutDate = (text: string) => text.replace(/\d{4}-\d{2}-\d{2}/g, 'DATE')
    const block = /^```text\n\$ assay (.+)\n([\s\S]*?)^…\n```/m
    const [, command = '', shown = ''] = block.exec(readFileSync(readme, 'utf8')) ?? []
    expect(shown).toContain('BROKEN_LINKS')
    const { stdout } = await runAssay(command.split(' '), { home })
    expect(withoutDate(stdout)).toContain(withoutDate(shown))
  })

  it('finds nothing new the second time', () => {
    expect(second.code).toBe(0)
    expect(second.stdout.match(/: COMPLETED .* findings: 0 new, /g)).toHaveLength(2)
    expect(second.stdout).not.toContain('invented')
    const total = /^Total findings .*/m
    expect(total.exec(second.stdout)?.[0]).toBe(total.exec(first.stdout)?.[0])
  })

  it('has watches, due dates and a dashboard of its own to look at', async () => {
    const run = async (...args: string[]) => (await runAssay([...args, '--home', home], { home })).stdout
    expect(await run('watch', 'list')).toContain('critical-findings')
    expect(await run('sla', 'list')).toMatch(/CRITICAL/)
    expect(await run('dashboard', 'secrets')).toContain('Mean time to resolve')
  })

  it('prints loopback addresses only', () => {
    const addresses = first.stdout.match(/https?:\/\/[^\s/)]+/g) ?? []
    expect(addresses.filter((address) => !/^http:\/\/127\.0\.0\.1(:\d+)?$/.test(address))).toEqual([])
  })
})

describe('the example configuration', () => {
  it('gives an assistant six read-only tools over stdio, and an administrator all', async () => {
    const bin = join(home, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'assay'), `#!/bin/sh\nexec '${process.execPath}' '${mainFile}' "$@"\n`)
    chmodSync(join(bin, 'assay'), 0o755)
    const env = { PATH: `${bin}${delimiter}${process.env.PATH}`, ASSAY_HOME: home }
    const isReadOnly: Record<string, boolean[]> = {}
    for (const name of ['assay', 'assay-admin']) {
      const { command = '', args = [] } = example.mcpServers[name] ?? {}
      const client = new Client({ name: 'example', version: '1.0.0' })
      await client.connect(new StdioClientTransport({ command: join(bin, command), args, env, stderr: 'ignore' }))
      const { tools } = await client.listTools()
      isReadOnly[name] = tools.map(({ annotations }) => annotations?.readOnlyHint === true)
      await client.close()
    }
    expect(isReadOnly.assay).toEqual(Array(6).fill(true))
    expect(isReadOnly['assay-admin']).toContain(false)
  })

  it('connects an assistant over HTTP to the path and port that a server has', () => {
    const { type, url = '' } = example.mcpServers['assay-http'] ?? {}
    const { host, port } = loadConfig({}, {})
    expect([type, url]).toEqual(['http', `http://${host}:${port}/mcp`])
  })
})

describe('the command line', () => {
  it.each([
    [[], 2, 'stdout', ['Usage: assay']],
    [['nonsense'], 2, 'stderr', ['unknown command']],
    [['serve', '--host', '0.0.0.0', '--port', '0'], 1, 'stderr', ['token']],
    [['doctor'], 1, 'stdout', ['integrity ok', 'FAIL  source sample-wiki']],
  ] as const)('%j as a process exits with %i', async (args, code, stream, texts) => {
    const finished = await runAssay(args, { home })
    for (const text of texts) expect(finished[stream]).toContain(text)
    expect(finished.code).toBe(code)
    if (stream === 'stderr') expect(finished.stdout).toBe('')
    expect(finished.stderr).not.toMatch(/\n\s+at /)
  })

  it.each([
    [['--help'], 0, 'stdout', 'Usage: assay'],
    [['--version'], 0, 'stdout', '1.2.3'],
    [['query', 'no-such-metric'], 1, 'stderr', 'no-such-metric'],
    [['call', 'no_such_operation'], 1, 'stderr', 'no operation'],
    [['sources'], 0, 'stdout', 'sample-wiki'],
    [['query', 'new-findings', '--series', 'week'], 0, 'stdout', 'New findings'],
    [['findings', '--detector-types', 'SECRETS', '--limit', '3'], 0, 'stdout', 'SECRETS'],
  ] as const)('%j exits with %i', async (args, code, stream, text) => {
    const finished = await openLastingCommandLine({}, { home }).run(args)
    expect(finished.code).toBe(code)
    expect(finished[stream]).toContain(text)
  })

  it('runs the detectors on text from stdin', async () => {
    const card = ['4539', '1488', '0343', '6467'].join(' ')
    const stdin = `${JSON.stringify({ id: 'a', text: `😀 card ${card} ok` })}\n${JSON.stringify({ id: 'b', text: 'nothing' })}\n`
    const { code, stdout } = await openLastingCommandLine({}, { home }).run(['detect', '--types', 'PII'], stdin)
    const [a, b] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(code).toBe(0)
    expect(b).toEqual({ id: 'b', findings: [] })
    expect(a.findings).toMatchObject([
      { detectorType: 'PII', findingType: 'CREDIT_CARD', start: 8, end: 8 + card.length },
    ])
    expect(stdout).not.toContain('1488')
  })
})

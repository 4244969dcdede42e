import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import stringWidth from 'string-width'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { shells, toCompletionScript } from '../../src/cli/completion.ts'
import { examplesOf, groupOf, pathOf } from '../../src/cli/help.ts'
import type { Host } from '../../src/cli/host.ts'
import { createProgram } from '../../src/cli/program.ts'
import { listCommands } from '../../src/cli/shape.ts'
import { packageFile } from '../../src/runtime/package-files.ts'

const program = createProgram({ version: '1.2.3' } as Host)
const leaves = program.commands.flatMap((command) => (command.commands.length === 0 ? [command] : command.commands))

describe('the help', () => {
  it('has every command in a group', () => {
    expect(program.commands.map((command) => command.name()).filter((name) => groupOf(name) === undefined)).toEqual([])
  })

  it('has examples for every command, which begin with it and name only options that it has', () => {
    expect(leaves.filter((command) => examplesOf(command).length === 0).map(pathOf)).toEqual([])
    for (const command of leaves) {
      for (const example of examplesOf(command)) {
        expect(example).toContain(`assay ${pathOf(command)}`.replace(/ list$/, ''))
        const options =
          example
            .split('assay ')[1]
            ?.replaceAll(/'[^']*'|"[^"]*"/g, '')
            .match(/--[a-z-]+/g) ?? []
        const known = [...command.options, ...(command.parent?.options ?? [])].map(({ long }) => long)
        expect([example, options.filter((option) => !known.includes(option) && option !== '--help')]).toEqual([
          example,
          [],
        ])
      }
    }
  })

  it.each([20, 40, 60, 80, 120])('is at most as wide as a terminal of %i columns, but for examples', (columns) => {
    const stdout = Object.assign(new PassThrough(), { isTTY: true, columns })
    const wide = createProgram({ version: '1', stdout, env: { NO_COLOR: '1' } } as unknown as Host)
    const texts = [wide, ...wide.commands.flatMap((command) => [command, ...command.commands])].map((command) =>
      command.helpInformation(),
    )
    const lines = texts
      .flatMap((text) => text.split('\n'))
      .filter((text) => !text.includes('|') && !/^Usage:|^[A-Z][^:]*:$/.test(text))
    expect(lines.length).toBeGreaterThan(300)
    expect(lines.filter((text) => stringWidth(text) > columns && text.trim().includes(' '))).toEqual([])
  })

  it('groups the options of a source by platform', () => {
    const shown = createProgram({ version: '1', stdout: new PassThrough() } as unknown as Host)
    const sources = shown.commands.find((each) => each.name() === 'sources')
    for (const name of ['add', 'edit']) {
      const text = sources?.commands.find((each) => each.name() === name)?.helpInformation() ?? ''
      const [, wiki = '', platform = ''] = text.split(/^Options of a (?:wiki|BI platform):$/m)
      expect(wiki.match(/--[a-z-]+(?= <)/g)).toEqual(['--base-url', '--account-email', '--spaces'])
      expect(platform.match(/--[a-z-]+(?= <)/g)).toEqual([
        ...['--auth-mode', '--tenant-id', '--client-id', '--api-base-url', '--authority-url', '--workspaces'],
      ])
    }
  })

  it('imports invented findings into a folder of their own', () => {
    const examples = examplesOf(program.commands.find((each) => each.name() === 'generate') as never)
    expect(examples.filter((text) => text.includes('import')).every((text) => text.includes('--home ./'))).toBe(true)
    expect(examples.some((text) => text.includes('import'))).toBe(true)
  })

  it('marks the options that are required', () => {
    const marked = createProgram({ version: '1', stdout: new PassThrough() } as unknown as Host)
    const create = marked.commands
      .find((each) => each.name() === 'watch')
      ?.commands.find((each) => each.name() === 'create')
    expect(create?.helpInformation()).toMatch(/--metric <metric> +\(required\) the metric/)
  })
})

describe('completion', () => {
  const input = {
    commands: listCommands(program),
    words: { call: operations.map(({ name }) => name), completion: shells },
  }
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'assay-completion-'))
    for (const shell of shells) writeFileSync(join(folder, shell), toCompletionScript(shell, input))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const complete = (...words: string[]): string[] => {
    const script = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _assay; printf '%s\\n' "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', script, 'bash', join(folder, 'bash'), ...words], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean)
  }

  it.each([
    [['assay', 'tri'], ['triage']],
    [['assay', 'mcp', ''], expect.arrayContaining(['install', 'uninstall', '--toolsets'])],
    [['assay', 'query', 'open-findings', '--seri'], ['--series']],
    [
      ['assay', 'query', '--series', ''],
      ['hour', 'day', 'week', 'month'],
    ],
    [['assay', 'query', '--by', 'query', '--order-by', 'p'], ['previous']],
    [['assay', '--home', 'watch', 'sla', 'l'], ['list']],
    [['assay', 'call', 'query_metric_t'], ['query_metric_timeseries']],
    [['assay', 'completion', 'f'], ['fish']],
    [['assay', 'import', '--source', ''], []],
    [['assay', 'nonsense; echo hi', 'tri'], ['triage']],
  ])('in bash completes %j', (words, completed) => {
    expect(complete(...words)).toEqual(completed)
  })

  it.for([
    ['bash', ['-n']],
    ['zsh', ['-n']],
    ['fish', ['--no-execute']],
  ] as const)('is a valid script for %s', ([shell, options], { skip }) => {
    if (spawnSync(shell, ['-c', 'true']).status !== 0) skip(`${shell} is not installed`)
    const { status, stderr } = spawnSync(shell, [...options, join(folder, shell)], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  })
})

it('the manual page is one', ({ skip }) => {
  if (spawnSync('groff', ['--version']).status !== 0) skip('groff is not installed')
  const page = new URL(packageFile('man/assay.1')).pathname
  const { status, stdout, stderr } = spawnSync('groff', ['-man', '-Tutf8', '-ww', page], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  for (const words of ['completion', 'sources', 'triage', 'NO_COLOR'])
    expect(stdout.replaceAll(/.[\b]/g, '')).toContain(words)
})

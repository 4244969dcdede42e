import { spawnSync } from 'node:child_process'
import { PassThrough } from 'node:stream'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { examplesOf, groupOf, pathOf } from '../../src/cli/help.ts'
import type { Host } from '../../src/cli/host.ts'
import { createProgram } from '../../src/cli/program.ts'
import { packageFile } from '../../src/runtime/package-files.ts'
import { openCommandLine } from './command-line.ts'

const program = await createProgram({ version: '1.2.3' } as Host)
const leaves = program.commands.flatMap((command) => (command.commands.length === 0 ? [command] : command.commands))

describe('the help', () => {
  it('has every command in a group', () => {
    expect(program.commands.map((command) => command.name()).filter((name) => groupOf(name) === undefined)).toEqual([])
  })

  it('lists the groups in the order of a working day', async () => {
    const shown = (
      await createProgram({ version: '1', stdout: new PassThrough() } as unknown as Host)
    ).helpInformation()
    const headings = shown.match(/^[A-Z][a-z ]+:$/gm)?.filter((each) => each !== 'Options:')
    expect(headings).toEqual([
      ...['Start:', 'Sources and scans:', 'Questions:', 'Decisions:', 'Assistants and servers:'],
      ...['Definitions as code:', 'Upkeep:', 'Everything else:'],
    ])
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

  it.each([20, 40, 60, 80, 120])(
    'is at most as wide as a terminal of %i columns, but for examples',
    async (columns) => {
      const stdout = Object.assign(new PassThrough(), { isTTY: true, columns })
      const wide = await createProgram({ version: '1', stdout, env: { NO_COLOR: '1' } } as unknown as Host)
      const texts = [wide, ...wide.commands.flatMap((command) => [command, ...command.commands])].map((command) =>
        command.helpInformation(),
      )
      const lines = texts
        .flatMap((text) => text.split('\n'))
        .filter((text) => !text.includes('|') && !/^Usage:|^[A-Z][^:]*:$/.test(text))
      expect(lines.length).toBeGreaterThan(300)
      expect(lines.filter((text) => stringWidth(text) > columns && text.trim().includes(' '))).toEqual([])
    },
  )

  it('groups the options of a source by platform', async () => {
    const shown = await createProgram({ version: '1', stdout: new PassThrough() } as unknown as Host)
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

  const groups = program.commands.filter(({ commands }) => commands.length > 0).map((group) => group.name())
  it.each(groups)('of the group %s is printed where it is named without a command', async (name) => {
    const { run } = openCommandLine()
    const help = await run([name, '--help'])
    expect(help.stdout.trim().split('\n').length).toBeGreaterThan(5)
    const alone = await run([name])
    // These have something to do without a command.
    if (['sources', 'terms', 'metrics', 'suppressions', 'proposals', 'audit', 'mcp'].includes(name))
      expect(alone.stdout).not.toContain('Usage:')
    else expect(alone).toEqual({ code: 2, stdout: help.stdout, stderr: '' })
    const unknown = await run([name, 'bogus'])
    expect(unknown).toMatchObject({ code: 2, stdout: '' })
    expect(unknown.stderr).toMatch(/^assay: .*; see `assay [a-z]+ --help`\.\n$/)
  })

  it('is printed for a command that does not exist', async () => {
    const { run } = openCommandLine()
    const { code, stdout } = await run(['help', 'bogus'])
    expect([code, stdout.split('\n').length > 50]).toEqual([2, true])
  })

  it('marks the options that are required', async () => {
    const marked = await createProgram({ version: '1', stdout: new PassThrough() } as unknown as Host)
    const create = marked.commands
      .find((each) => each.name() === 'watch')
      ?.commands.find((each) => each.name() === 'create')
    expect(create?.helpInformation()).toMatch(/--metric <metric> +\(required\) the metric/)
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

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { describeOperation, toVariable } from '../../src/cli/operation-help.ts'
import { layOut } from '../../src/cli/output/layout.ts'
import { resolveSecrets } from '../../src/cli/secret-input.ts'
import { inputNode } from '../../src/operation/input/coerce.ts'
import { exampleOf } from '../../src/operation/input/example.ts'
import { importFindings, openCommandLine } from './command-line.ts'

const onPipe = { width: Number.POSITIVE_INFINITY, hasColor: false, hasLinks: false }

describe('assay call OPERATION --help', () => {
  const host = { locate: () => ({ env: { API_TOKEN: 'any' } }) } as never

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    'shows an example of %s that is valid',
    (_, operation) => {
      const example = exampleOf(inputNode(operation.input), toVariable) as Record<string, unknown>
      expect(operation.input.safeParse(resolveSecrets(host, example)).error?.issues ?? []).toEqual([])
    },
  )

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    'lists every member of %s',
    (_, operation) => {
      const text = layOut(describeOperation(operation), onPipe).join('\n')
      expect(Object.keys(inputNode(operation.input).properties ?? {}).filter((name) => !text.includes(name))).toEqual(
        [],
      )
    },
  )

  it('is printed without a data folder', async () => {
    const { run } = openCommandLine()
    const { code, stdout } = await run(['call', 'get_finding', '--help'])
    expect([code, stdout]).toEqual([0, expect.stringContaining(`assay call get_finding "{'id':'24'}"`)])
    expect((await run(['call', '--help'])).stdout).toContain('@FILE')
  })
})

describe('the input of assay call', () => {
  it('may be a file or standard input', async () => {
    const { home, run } = openCommandLine()
    mkdirSync(home, { recursive: true })
    const term = { slug: 'mine', displayName: 'Mine', filterMapping: { severities: ['HIGH'] } }
    writeFileSync(join(home, 'term.json'), JSON.stringify(term))
    expect((await run(['call', 'create_glossary_term', `@${join(home, 'term.json')}`])).code).toBe(0)
    const read = await run(['call', 'get_glossary_term', '-'], '{"slug": "mine"}')
    expect(JSON.parse(read.stdout).displayName).toBe('Mine')
    const missing = await run(['call', 'get_glossary_term', '@nowhere.json'])
    expect([missing.code, missing.stderr]).toEqual([
      1,
      "assay: The file 'nowhere.json' cannot be read; check its name and permissions.\n",
    ])
  })

  it('may have single quotes for all double ones, which every shell passes on', async () => {
    const cli = openCommandLine()
    await cli.run(['init'])
    const { code, stdout } = await cli.run(['call', 'get_metric', "{'slug':'open-findings'}"])
    expect([code, JSON.parse(stdout).slug]).toEqual([0, 'open-findings'])
  })

  it('may have numbers as ids', async () => {
    const cli = openCommandLine()
    await importFindings(cli, [{ id: 1, severity: 'HIGH', daysAgo: 3 }])
    const [found] = JSON.parse((await cli.run(['findings', '--json'])).stdout).items
    const { code, stdout } = await cli.run(['call', 'get_finding', `{"id": ${found.id}}`])
    expect([code, JSON.parse(stdout).id]).toEqual([0, found.id])
    expect((await cli.run(['call', 'triage_findings', `{"ids": [${found.id}], "status": "RESOLVED"}`])).code).toBe(0)
  })

  it.each([
    ['{"slug": "a",}', 'line 1, column 14: the name of a member is expected here'],
    ['{"slug": a}', 'line 1, column 10: a text needs double quotes around it'],
    ['{\n  "slug": "a"\n  "name": "b"\n}', 'line 3, column 3: a comma is expected here'],
    ['{"slug": "a"', 'line 1, column 13: a closing brace is expected here'],
    [`{'slug': "a"}`, 'line 1, column 2'],
    ['[1, 2]', 'this is a list'],
    ['7', 'this is a number'],
  ])('is refused with the place of the problem: %s', async (text, message) => {
    const { run } = openCommandLine()
    const { code, stderr } = await run(['call', 'get_metric', text])
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it('names the closest operations for one that does not exist', async () => {
    const { run } = openCommandLine()
    const { code, stderr } = await run(['call', 'list_metric'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('Did you mean list_metrics')])
  })

  it('has its secrets from variables, files and standard input, never from the command line', async () => {
    const source = (secret: unknown) =>
      JSON.stringify({
        name: 'wiki',
        config: {
          type: 'WIKI',
          required: { base_url: 'https://example.atlassian.net', account_email: 'a@example.com' },
          masked: { api_token: secret },
        },
      })
    const cli = openCommandLine({ WIKI_TOKEN: 'token-in-a-variable' })
    const watch = (receiver: object) =>
      JSON.stringify({ slug: 'w', metricSlug: 'open-findings', deliver: [{ type: 'webhook', ...receiver }] })
    const shown = 'https://example.com/********'
    for (const [operation, input] of [
      ['create_source', source('token-on-the-command-line')],
      ['create_watch', watch({ url: shown, secret: 'token-on-the-command-line' })],
      ['create_watch', watch({ url: 'https://example.com/token-on-the-command-line' })],
    ] as const) {
      for (const typed of [await cli.run(['call', operation, input]), await cli.type(['call', operation, input], [])]) {
        expect([typed.code, typed.stdout, typed.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
          2,
          '',
          expect.stringMatching(
            /A secret does not belong on the command line: for (?:config\.masked\.api_token|the (?:url|secret) of deliver\[0\]), write \{"env": "NAME"\} or \{"file": "PATH"\}.*--secret-stdin, --secret-env or --secret-file/,
          ),
        ])
        expect(typed.stderr).not.toContain('token-on-the-command-line')
      }
    }
    expect(readdirSync(cli.home)).toEqual([])
    const piped = await cli.run(['call', 'create_source', '-'], source('token-on-standard-input'))
    expect([piped.code, piped.stdout]).toEqual([0, expect.not.stringContaining('token-on')])
    await cli.run(['call', 'delete_source', '{"id":"wiki"}'])
    const file = join(cli.home, 'source.json')
    writeFileSync(file, `\uFEFF${source('token-in-a-file')}`)
    expect((await cli.run(['call', 'create_source', `@${file}`])).code).toBe(0)
    await cli.run(['call', 'delete_source', '{"id":"wiki"}'])
    const made = await cli.run(['call', 'create_source', source({ env: 'WIKI_TOKEN' })])
    expect([made.code, JSON.parse(made.stdout).config.masked]).toEqual([0, { api_token: '********' }])
    const unset = await cli.run(['call', 'create_source', source({ env: 'NOT_SET' })])
    expect([unset.code, unset.stderr]).toEqual([
      1,
      expect.stringContaining("'NOT_SET' of config.masked.api_token is not set"),
    ])
  })
})

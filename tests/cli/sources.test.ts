import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { sourceFlags } from '../../src/cli/source-flags.ts'
import { listSourceForms } from '../../src/cli/source-form.ts'
import { inputNode } from '../../src/operation/input/coerce.ts'
import { sampleCredentials } from '../../src/sample/credentials.ts'
import { type SampleTenants, startSampleTenants } from '../sample/servers.ts'
import { keys, openCommandLine } from './command-line.ts'

const { apiToken, accountEmail, tenantId, clientId, clientSecret } = sampleCredentials
let tenants: SampleTenants
beforeAll(async () => {
  tenants = await startSampleTenants()
})
afterAll(() => tenants.close())

const wiki = () => ['--base-url', tenants.wiki.url, '--account-email', accountEmail]
const read = (folder: string): string =>
  readdirSync(folder, { withFileTypes: true })
    .map((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? read(path) : readFileSync(path, 'latin1')
    })
    .join('')

describe('the options of a source', () => {
  const create = operations.find(({ name }) => name === 'create_source')
  const forms = listSourceForms(create && inputNode(create.input).properties?.config)

  it('include every required member of every type', () => {
    const paths = new Set(Object.values(sourceFlags).map(({ path }) => path))
    const members = forms.flatMap(({ fixed, fields }) => [
      ...Object.keys(fixed),
      ...fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    ])
    expect(members.filter((name) => !paths.has(`required.${name}`))).toEqual([])
    expect(forms.map(({ type, secret }) => [type, secret.name])).toEqual([
      ['WIKI', 'api_token'],
      ['BI_PLATFORM', 'client_secret'],
      ['BI_PLATFORM', 'access_token'],
    ])
  })
})

describe('assay sources add', () => {
  it.each([
    ['from standard input', ['--secret-stdin'], `${apiToken}\n`],
    ['from an environment variable', ['--secret-env', 'WIKI_TOKEN'], ''],
    ['from a file', ['--secret-file', 'FILE'], ''],
  ])('takes the secret %s', async (_, options, stdin) => {
    const cli = openCommandLine({ WIKI_TOKEN: apiToken })
    const file = join(cli.home, 'token.txt')
    mkdirSync(cli.home, { recursive: true })
    if (options.includes('FILE')) writeFileSync(file, `${apiToken}\n`)
    const given = options.map((option) => (option === 'FILE' ? file : option))
    const added = await cli.run(['sources', 'add', 'My wiki', ...wiki(), ...given], stdin)
    expect(added).toMatchObject({ code: 0, stderr: '' })
    expect(added.stdout).toContain("assay sources test 'My wiki'")
    const tested = await cli.run(['sources', 'test', 'My wiki'])
    expect(tested).toMatchObject({ code: 0, stderr: '' })
    expect(tested.stdout).toContain('ok      sign in')
    expect(added.stdout + tested.stdout).not.toContain(apiToken)
  })

  it('asks on a terminal for what the options do not give, without showing the secret', async () => {
    const cli = openCommandLine()
    const added = await cli.type(
      ['sources', 'add'],
      [
        ['What is to be scanned?', keys.enter],
        ['Email address of the account', `${accountEmail}${keys.enter}`],
        ['Address of the wiki tenant', `${tenants.wiki.url}${keys.enter}`],
        ['API token', `${apiToken}${keys.enter}`],
        ['A name for this source', keys.enter],
      ],
    )
    expect([added.code, added.stdout.split('\n')[0]]).toEqual([0, 'Confluence wiki is added.'])
    expect(added.stderr).not.toContain(apiToken.slice(0, 8))
    expect((await cli.run(['sources', 'test', 'Confluence wiki'])).code).toBe(0)
    expect(read(cli.home)).not.toContain(apiToken)
  })

  it('changes nothing when a question is interrupted', async () => {
    const cli = openCommandLine()
    const stopped = await cli.type(['sources', 'add', 'wiki', ...wiki()], [['API token', keys.interrupt]])
    expect(stopped.code).toBe(1)
    expect(stopped.stderr).toContain('Nothing was changed')
    expect(JSON.parse((await cli.run(['sources', '--json'])).stdout).items).toEqual([])
  })

  it('names everything that is missing in one sentence where there is no terminal', async () => {
    const { run } = openCommandLine()
    const message = async (...argv: string[]) => {
      const { code, stderr } = await run(['sources', 'add', ...argv])
      expect(code).toBe(stderr.includes('is not set') ? 1 : 2)
      return stderr.trim()
    }
    expect(await message()).toBe(
      'assay: Without a terminal to ask on, give a name for the source, --type (WIKI or BI_PLATFORM) and the secret (--secret-stdin, --secret-env or --secret-file).',
    )
    expect(
      await message('mine', '--type', 'wiki', '--account-email', 'a@b.example', '--secret-env', 'HOME_TOKEN'),
    ).toContain("'HOME_TOKEN' of --secret-env is not set")
    expect(await message('mine', '--tenant-id', tenantId)).toContain('give --client-id and the secret')
    expect(await message('mine', '--type', 'sharepoint')).toContain('--type must be WIKI or BI_PLATFORM')
  })

  it('reads a payload with the names of a variable and a file, and names the options in problems', async () => {
    const cli = openCommandLine({ BI_SECRET: clientSecret })
    const { bi } = { bi: tenants.sources.find(({ name }) => name === 'sample-bi') }
    const config = { ...bi?.config, masked: { client_secret: { env: 'BI_SECRET' } } }
    const added = await cli.run(['sources', 'add', 'reports', '--from-file', '-'], JSON.stringify(config))
    expect(added).toMatchObject({ code: 0, stderr: '' })
    expect((await cli.run(['sources', 'show', 'reports'])).stdout).toMatch(
      new RegExp(`^required.client_id: +${clientId}$`, 'm'),
    )
    const wrong = await cli.run(
      ['sources', 'add', 'w', '--base-url', 'wiki', '--account-email', 'me', '--secret-stdin'],
      'token',
    )
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('--base-url: must be an address')])
    expect(wrong.stderr).toContain('--account-email must be an email address')
  })

  it('has no way to put a secret on the command line', async () => {
    const { run } = openCommandLine()
    const set = await run(['sources', 'add', 'w', ...wiki(), '--set', `masked.api_token=${apiToken}`])
    expect([set.code, set.stderr]).toEqual([2, expect.stringContaining('does not belong on the command line')])
    expect(set.stderr).not.toContain(apiToken)
  })
})

describe('assay sources', () => {
  it('lists, edits and removes', async () => {
    const cli = openCommandLine({ TOKEN: apiToken })
    await cli.run(['sources', 'add', 'wiki', ...wiki(), '--secret-env', 'TOKEN', '--spaces', 'ENG'])
    const edited = await cli.run(['sources', 'edit', 'wiki', '--schedule', 'nightly', '--time-zone', 'Europe/Berlin'])
    expect(edited).toMatchObject({ code: 0, stderr: '' })
    const shown = JSON.parse((await cli.run(['sources', 'show', 'wiki', '--json'])).stdout)
    expect(shown.config).toMatchObject({
      optional: { scope: { spaces: { keys: ['ENG'] } } },
      schedule: { enabled: true, preset: 'nightly', timezone: 'Europe/Berlin' },
    })
    expect((await cli.run(['sources'])).stdout).toContain('wiki')
    const kept = await cli.run(['sources', 'remove', 'wiki'])
    expect([kept.code, kept.stderr]).toEqual([2, expect.stringContaining('Nothing was changed')])
    expect((await cli.type(['sources', 'remove', 'wiki'], [['for good?', keys.enter]])).stdout).toContain('Nothing was')
    expect((await cli.run(['sources', 'remove', 'wiki', '--yes'])).stdout).toBe("'wiki' is removed.\n")
    expect((await cli.run(['sources'])).stdout).toContain('No sources yet')
  })

  it('sets which earlier versions are read', async () => {
    const cli = openCommandLine({ TOKEN: apiToken })
    await cli.run(['sources', 'add', 'wiki', ...wiki(), '--secret-env', 'TOKEN', '--history', 'all'])
    const shown = async () => (await cli.run(['sources', 'show', 'wiki'])).stdout
    expect(await shown()).toMatch(/history: +all/)
    expect(await cli.run(['sources', 'edit', 'wiki', '--history', 'off'])).toMatchObject({ code: 0, stderr: '' })
    expect(await shown()).toMatch(/history: +off/)
    expect((await cli.run(['sources', 'edit', 'wiki', '--history', 'some'])).code).toBe(2)
  })

  it('requires the secret again when the address changes, and asks for it on a terminal', async () => {
    const cli = openCommandLine({ TOKEN: apiToken })
    await cli.run(['sources', 'add', 'wiki', ...wiki(), '--secret-env', 'TOKEN'])
    const elsewhere = ['sources', 'edit', 'wiki', '--base-url', 'https://other.atlassian.net']
    const refused = await cli.run(elsewhere)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('give it with --secret-stdin')])
    const typed = await cli.type(elsewhere, [['must be entered again', `fresh-token${keys.enter}`]])
    expect([typed.code, typed.stdout.split('\n')[0]]).toEqual([0, 'wiki is changed.'])
    expect(typed.stderr).not.toContain('fresh-token')
  })

  it('fails the test with exit code 1 when a step is denied or fails, not when one is skipped', async () => {
    const cli = openCommandLine({ WRONG: 'not the token' })
    await cli.run(['sources', 'add', 'wiki', ...wiki(), '--secret-env', 'WRONG'])
    const { code, stdout, stderr } = await cli.run(['sources', 'test', 'wiki'])
    expect(code).toBe(1)
    expect(stdout).toContain('DENIED  sign in')
    expect(stderr).toContain('1 of 7 steps was denied or failed')
  })
})

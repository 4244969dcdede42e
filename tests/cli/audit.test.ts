import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFolder } from '../../src/commands/data-folder.ts'
import { loadConfig } from '../../src/config.ts'
import { openCommandLine } from './command-line.ts'

test('work on the database and its key is in the audit trail, which the command lists', async () => {
  const { run, home } = openCommandLine({ TOKEN: 'token-of-a-test' })
  const config = loadConfig({ home, logLevel: 'silent' }, {})
  const prepare = async () => (await openFolder(config, {}, { mayUpgrade: true })).close()
  await prepare()
  await prepare()
  const backup = join(home, 'copy.db')
  for (const command of [
    ['backup', backup],
    ['restore', backup],
    ['key', 'backup', join(home, 'copy.key')],
    ['key', 'rotate'],
  ]) {
    expect(await run(command)).toMatchObject({ code: 0 })
  }
  const { items } = JSON.parse((await run(['audit', '--json'])).stdout) as {
    items: { action: string; kind: string; via: string }[]
  }
  const upkeep = items.filter(({ kind }) => kind === 'key' || kind === 'database')
  expect(upkeep.map(({ action, kind }) => `${action} ${kind}`)).toEqual([
    'rotate key',
    'backup key',
    'restore database',
    'create database',
  ])
  expect(new Set(upkeep.map(({ via }) => via))).toEqual(new Set(['cli']))
  const keys = (await run(['audit', '--kind', 'key'])).stdout
  expect(keys).toContain('rotate key')
  expect(keys).not.toContain('restore')
  expect(await run(['audit', 'verify'])).toMatchObject({ code: 0 })
})

import { expect, test } from 'vitest'
import { importFindings, openCommandLine } from '../cli/command-line.ts'

const importCsv = async (header: string, ...options: string[]) => {
  const cli = openCommandLine()
  await importFindings(cli, [])
  return cli.run(['import', '-', '--source', 'audit', ...options], `${header}\n1,2,3\n`)
}

test('all columns that are no members of a finding are named at once', async () => {
  const { code, stderr } = await importCsv('file,rule,severity')
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(
      "has columns 'file', 'rule', none of which is a member of a finding; give --map 'file=member'",
    ),
  ])
  const one = await importCsv('file,rule,severity', '--map', 'file=asset.key')
  expect(one.stderr).toContain("has a column 'rule', which is not a member of a finding; give --map 'rule=member'")
  const left = await importCsv('file,rule,severity', '--map', 'file=asset.key', '--map', 'rule=')
  expect(left.stderr).toContain('line 2')
})

test('who can read an item is read as an export writes it', async () => {
  const from = openCommandLine()
  const line = {
    asset: { key: 'page', kind: 'page', name: 'Page', audience: 'group', audienceSize: 12 },
    ...{ detectorType: 'DLP', findingType: 'NOTE', severity: 'LOW', firstDetectedAt: '2026-05-04T08:00:00Z' },
  }
  expect((await from.run(['import', '-', '--source', 's'], `${JSON.stringify(line)}\n`)).stderr).toBe('')
  const exported = (await from.run(['findings', '--format', 'csv'])).stdout
  const to = openCommandLine()
  await importFindings(to, [])
  expect((await to.run(['import', '-', '--source', 's'], exported)).stderr).toBe('')
  expect((await to.run(['findings', '--format', 'csv'])).stdout).toContain(',group,12,')
})

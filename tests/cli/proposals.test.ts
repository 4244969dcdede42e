import { expect, it } from 'vitest'
import { openCommandLine } from './command-line.ts'

it('assay proposals, approve and reject show a proposal and decide it', async () => {
  const { run } = openCommandLine()
  await run(['init'])
  const propose = (operation: string, input: object) =>
    run(['call', 'propose_change', JSON.stringify({ operation, input })])
  await propose('update_metric', { slug: 'open-findings', unit: 'open ones' })
  await propose('certify_metric', { slug: 'overdue-findings' })

  const listed = JSON.parse((await run(['proposals', '--json'])).stdout)
  expect(listed.items.map(({ id }: { id: string }) => id)).toEqual(['2', '1'])
  const shown = (await run(['proposals', 'show', '1'])).stdout
  expect(shown).toContain('unit: "findings" → "open ones"')
  expect(shown).toContain('Approve it: assay approve 1')

  for (const command of [
    ['proposals', 'show', '1'],
    ['approve', '1'],
  ]) {
    const { stdout } = await run(command, 'n\n')
    expect(stdout).toMatch(/12 months up to \S+, or the state then: 0 findings → 0 open ones/)
    expect(stdout).toContain('0 findings gained, 0 lost')
    expect(stdout).toContain('Used by discovery.')
    expect(stdout).not.toContain('proposal 1')
  }
  expect(JSON.parse((await run(['metrics', 'impact', 'open-findings', '--json'])).stdout).usedBy.proposals).toEqual([
    '1',
  ])
  expect((await run(['approve', '1'], 'n\n')).stdout).toContain('Nothing was changed.')
  const approved = await run(['approve', '1', '--yes', '--reason', 'agreed'])
  expect(approved).toMatchObject({ code: 0, stdout: 'Approved: Update metric: open-findings\n' })
  expect(JSON.parse((await run(['call', 'get_metric', '{"slug":"open-findings"}'])).stdout).unit).toBe('open ones')
  expect((await run(['audit', 'list', '--kind', 'metric'])).stdout).toContain(', proposed by ')
  expect(await run(['approve', '1', '--yes'])).toMatchObject({ code: 1 })
  expect((await run(['reject', '2', '--reason', 'not yet'])).stdout).toBe(
    'Rejected: Certify metric: overdue-findings\n',
  )
  expect((await run(['proposals'])).stdout).toContain('No proposals are open.')
  expect((await run(['proposals', '--status', 'rejected'])).stdout).toContain('overdue-findings')
})

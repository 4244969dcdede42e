import { expect, it } from 'vitest'
import { importFindings, openCommandLine } from './command-line.ts'

it('assay sla sets, lists and removes policies, which change due dates and the metrics on them', async () => {
  const commands = openCommandLine()
  const { run } = commands
  await importFindings(commands, [
    { id: 1, severity: 'HIGH', daysAgo: 10 },
    { id: 2, severity: 'CRITICAL', daysAgo: 2 },
  ])
  expect((await run(['sla', 'list'])).stdout).toContain('No policies')
  expect((await run(['query', 'overdue-findings'])).stdout).toContain('no policy of due dates')

  const set = await run(['sla', 'set', '--days', 'high=7, CRITICAL=3'])
  expect(set).toMatchObject({ code: 0, stderr: '' })
  expect(set.stdout).toMatch(/all findings\s+3\s+7\s+-\s+-\s+-/)
  const listed = JSON.parse((await run(['findings', '--overdue', '--json'])).stdout)
  expect(listed.items).toMatchObject([{ severity: 'HIGH' }])
  expect(listed.items[0].dueAt).toBe(
    new Date(Date.parse(listed.items[0].firstDetectedAt) + 7 * 86_400_000).toISOString(),
  )
  expect((await run(['findings', '--overdue', 'false', '--json'])).stdout).toContain('"CRITICAL"')

  expect((await run(['sla', 'set', '--term', 'critical-findings', '--days', 'CRITICAL=1'])).code).toBe(0)
  const { policies } = JSON.parse((await run(['sla', 'list', '--json'])).stdout)
  expect(policies).toMatchObject([
    { glossaryTermSlug: null, days: { CRITICAL: 3, HIGH: 7 } },
    { glossaryTermSlug: 'critical-findings', days: { CRITICAL: 1 } },
  ])
  expect(JSON.parse((await run(['query', 'overdue-findings', '--json'])).stdout)).toMatchObject({ value: 2 })

  await run(['sla', 'remove'])
  expect(JSON.parse((await run(['query', 'overdue-findings', '--json'])).stdout)).toMatchObject({ value: 1 })
  expect((await run(['sla', 'remove', '--term', 'critical-findings'])).stdout).toContain('No policies')
})

it.each([
  [['--days', 'HIGH'], 2, 'CRITICAL=7'],
  [['--days', 'HIGH=0'], 1, '--days HIGH must be at least 1 day'],
  [['--days', 'HIGH=7', '--term', 'no-such-term'], 1, 'no-such-term'],
  [[], 2, '--days'],
])('assay sla set %j is refused', async (args, code, words) => {
  const { run } = openCommandLine()
  await run(['init'])
  const refused = await run(['sla', 'set', ...args])
  expect(refused.code).toBe(code)
  expect(refused.stderr).toContain(words)
  expect((await run(['sla', 'list'])).stdout).toContain('No policies')
})

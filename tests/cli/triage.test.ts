import { expect, it } from 'vitest'
import { importFindings, openCommandLine } from './command-line.ts'

const three = [1, 2, 3].map((id) => ({ id, severity: 'HIGH', daysAgo: 10 }))

it('assay triage shows how many, asks, changes them and prints a command that undoes it', async () => {
  const commands = openCommandLine()
  const { run } = commands
  await importFindings(commands, three)
  const args = ['triage', '--filter', '{"severities":["HIGH"]}', '--as', 'ignored', '--reason', 'samples']
  const declined = await run(args, 'n\n')
  expect(declined).toMatchObject({ code: 0, stdout: 'Nothing was changed.\n' })
  expect(declined.stderr).toContain('Set 3 findings to IGNORED? [y/N]')

  const agreed = await run(args, 'y\n')
  expect(agreed.stdout).toContain('3 of 3 changed to IGNORED')
  const undo = /undo: assay (triage [\d ]+ --as open --expect ignored)/.exec(agreed.stdout)?.[1] ?? ''
  const [id = ''] = undo.split(' ').slice(1)
  await run(['triage', id, '--as', 'resolved', '--yes'])
  const undone = JSON.parse((await run([...undo.split(' '), '--yes', '--json'])).stdout)
  expect(undone).toMatchObject({ matched: 3, changed: 2 })
  const { items } = JSON.parse((await run(['findings', '--statuses', 'RESOLVED', '--json'])).stdout)
  expect(items.map((item: { id: string }) => item.id)).toEqual([id])
})

it('assay triage takes an end of a decision, and refuses one in the past or with another status', async () => {
  const commands = openCommandLine()
  const { run } = commands
  await importFindings(commands, three)
  const { items } = JSON.parse((await run(['findings', '--json'])).stdout)
  const [{ id }] = items
  const until = new Date(Date.now() + 86_400_000).toISOString()
  const decide = (...more: string[]) => run(['triage', id, '--reason', 'accepted', '--yes', ...more])
  expect((await decide('--as', 'ignored', '--until', until)).code).toBe(0)
  const shown = JSON.parse((await run(['call', 'get_finding', JSON.stringify({ id })])).stdout)
  expect(shown).toMatchObject({ status: 'IGNORED', until, history: [{ until }] })
  const past = await decide('--as', 'false-positive', '--until', '2020-01-01T00:00:00Z')
  expect(past.code).toBe(1)
  expect(past.stderr).toContain('until must be in the future')
  const open = await decide('--as', 'open', '--until', until)
  expect(open.code).toBe(1)
  expect(open.stderr).toContain('until')
})

it('assay watch creates and lists watches, and assay check exits with 1 on FIRING and on UNKNOWN', async () => {
  const commands = openCommandLine()
  const { run } = commands
  await run(['init'])
  const create = ['watch', 'create', 'open', '--metric', 'open-findings', '--above', '2']
  expect((await run(create)).code).toBe(0)
  expect((await run(['check'])).code).toBe(1)
  expect((await run(['check', '--allow-unknown'])).code).toBe(0)
  await importFindings(commands, three)
  const firing = await run(['check', '--allow-unknown'])
  expect(firing.code).toBe(1)
  expect(firing.stdout).toContain('FIRING')
  expect((await run(['watch', 'list'])).stdout).toMatch(/open.*FIRING/)
  await run(['triage', '--filter', '{"severities":["HIGH"]}', '--as', 'resolved', '--yes'])
  const fine = await run(['check'])
  expect(fine.code).toBe(0)
  expect(fine.stdout).toContain('OK')
})

it('assay triage by filters prints commands that undo all of it, at most 100 ids in each', async () => {
  const { run } = openCommandLine()
  await importFindings(
    { run },
    Array.from({ length: 130 }, (_, id) => ({ id, severity: 'HIGH', daysAgo: 10 })),
  )
  const { stdout } = await run(['triage', '--severities', 'HIGH', '--as', 'resolved', '--yes'])
  const undo = [...stdout.matchAll(/undo: assay (triage [\d ]+ --as open --expect resolved)$/gm)].map(
    ([, text = '']) => text,
  )
  expect(undo.map((text) => text.match(/\d+/g)?.length)).toEqual([100, 30])
  for (const text of undo) expect((await run([...text.split(' '), '--yes'])).code).toBe(0)
  expect((await run(['findings', '--statuses', 'OPEN', '--total', '--limit', '1'])).stdout).toContain('130 in all')
})

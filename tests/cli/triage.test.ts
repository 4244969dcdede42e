import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
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

it('assay triage changes nothing when its input ends without an answer', async () => {
  const { run } = openCommandLine()
  await importFindings({ run }, [{ id: 1, severity: 'HIGH', daysAgo: 1 }])
  const ended = await run(['triage', '1', '--as', 'resolved'])
  expect([ended.code, ended.stdout]).toEqual([2, ''])
  expect(ended.stderr).toContain('Nothing was changed, because the question was not answered; --yes answers it.')
})

it('an undo gives findings back the time of their resolution, and a filter leaves what was decided', async () => {
  const commands = openCommandLine()
  const { run } = commands
  await importFindings(commands, three)
  const [first = ''] = JSON.parse((await run(['findings', '--json'])).stdout).items.map(({ id }: { id: string }) => id)
  await run(['triage', first, '--as', 'resolved', '--yes'])
  const resolvedAt = async () => JSON.parse((await run(['findings', first, '--json'])).stdout).resolvedAt
  const before = await resolvedAt()
  const open = ['triage', '--severities', 'HIGH', '--as', 'ignored', '--reason', 'samples', '--yes']
  const decided = await run(open)
  expect(decided.stdout).toContain('2 of 2 changed to IGNORED')
  expect(decided.stderr).toContain('1 more finding is resolved or decided already')
  for (const as of ['ignored', 'open']) {
    const reason = as === 'open' ? [] : ['--reason', 'mistake']
    const changed = await run(['triage', first, '--as', as, ...reason, '--yes'])
    expect(await resolvedAt()).toBeUndefined()
    const undo = /undo: assay (triage .+)/.exec(changed.stdout)?.[1] ?? ''
    expect((await run([...undo.split(' '), '--yes'])).stdout).toContain('1 of 1 changed to RESOLVED')
    expect(await resolvedAt()).toBe(before)
  }
  await run(['triage', first, '--as', 'open', '--yes'])
  await run(['triage', first, '--as', 'resolved', '--yes'])
  expect(await resolvedAt()).not.toBe(before)
})

it('assay suppressions says how many findings it sets, lists what it did, and takes it back', async () => {
  const commands = openCommandLine()
  const { run } = commands
  await importFindings(commands, three)
  const add = ['suppressions', 'add', '--severities', 'HIGH', '--reason', 'samples']
  const declined = await run(add, 'n\n')
  expect(declined).toMatchObject({ code: 0, stdout: 'Nothing was changed.\n' })
  expect(declined.stderr).toContain('Set 3 open findings, and future ones, to IGNORED?')
  expect((await run([...add, '--yes'])).stdout).toContain('Suppression 1 is added; 3 findings changed to IGNORED.')
  expect((await run(['suppressions'])).stdout).toMatch(/1 +severities HIGH +IGNORED +samples/)
  expect((await run(['suppressions', 'remove', '1'], 'n\n')).stdout).toBe('Nothing was changed.\n')
  expect((await run(['suppressions', 'remove', '1', '--yes'])).stdout).toContain('3 findings restored')
  const misspelt = await run(['suppressions', 'add', '--detector-types', 'SECRTS', '--reason', 'x', '--yes'])
  expect([misspelt.code, misspelt.stderr]).toEqual([
    1,
    expect.stringContaining("called 'SECRTS'; the closest are SECRETS"),
  ])
  expect((await run(['suppressions', 'add', '--reason', 'x', '--yes'])).code).toBe(2)
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
  const unreasoned = await run(['triage', id, '--as', 'false-positive'])
  expect([unreasoned.code, unreasoned.stderr]).toEqual([
    2,
    expect.stringMatching(/^assay: --as false-positive needs a reason/),
  ])
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

const many = (total: number, severity: string, from = 0) =>
  Array.from({ length: total }, (_, id) => ({ id: from + id, severity, daysAgo: 10 }))

const listUndo = (stdout: string) =>
  [...stdout.matchAll(/undo: assay (.+)$/gm)].map(([, text = '']) => text.replaceAll("'", '').split(' '))

it('assay undo restores each previous status and its end, and leaves what has changed since', async () => {
  const commands = openCommandLine()
  const { run, home } = commands
  await importFindings(commands, [...many(1_050, 'HIGH'), ...many(60, 'LOW', 2_000), ...many(40, 'INFO', 3_000)])
  const count = async (status: string) =>
    JSON.parse((await run(['findings', '--statuses', status, '--total', '--limit', '1', '--json'])).stdout).total
  const until = new Date(Date.now() + 86_400_000).toISOString()
  const accept = ['--as', 'ignored', '--reason', 'accepted', '--yes']
  await run(['triage', '--severities', 'LOW', ...accept, '--until', until])
  await run(['triage', '--severities', 'INFO', ...accept])
  const filter = ['--severities', 'HIGH,LOW,INFO', '--statuses', 'OPEN,IGNORED']
  const { stdout } = await run(['triage', ...filter, '--as', 'resolved', '--yes'])
  expect(stdout).toMatch(/^1150 of 1150 changed to RESOLVED\n {2}undo: assay undo \d{8}T\d{9} --home \S+\n$/)
  expect(await count('RESOLVED')).toBe(1_150)
  const [file = ''] = readdirSync(join(home, 'undo'))
  expect(statSync(join(home, 'undo', file)).mode & 0o777).toBe(0o600)

  const { items } = JSON.parse((await run(['findings', '--severities', 'HIGH', '--limit', '3', '--json'])).stdout)
  for (const [at, as] of ['open', 'ignored', 'false-positive'].entries())
    await run(['triage', items[at].id, '--as', as, '--reason', 'other', '--yes'])
  const [undo = []] = listUndo(stdout)
  const declined = await run(undo, 'n\n')
  expect([declined.stdout, await count('RESOLVED')]).toEqual(['Nothing was changed.\n', 1_147])
  expect(declined.stderr).toContain('Restore the previous status of 1150 findings now RESOLVED? [y/N]')
  const undone = await run(['undo', '--yes'])
  expect(undone.stdout).toBe('1147 of 1150 findings restored; 3 have changed since, and are left as they are.\n')
  expect([await count('OPEN'), await count('IGNORED'), await count('FALSE_POSITIVE')]).toEqual([1_048, 101, 1])
  const low = JSON.parse((await run(['findings', '--severities', 'LOW', '--limit', '100', '--json'])).stdout).items
  const details = await run(['call', 'get_finding', JSON.stringify({ id: low[59].id })])
  expect(JSON.parse(details.stdout)).toMatchObject({ status: 'IGNORED', until })

  const again = await run([...undo, '--yes'])
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('it was undone, or is too old')])
})

it('assay triage of up to 100 findings prints commands with ids, for the same data folder', async () => {
  const commands = openCommandLine()
  const { run, home } = commands
  await importFindings(commands, many(100, 'HIGH'))
  const { stdout } = await run(['triage', '--severities', 'HIGH', '--as', 'resolved', '--yes'])
  const [undo = [], ...more] = listUndo(stdout)
  expect([undo.filter((word) => /^\d+$/.test(word)).length, more, undo.slice(-2)]).toEqual([100, [], ['--home', home]])
  expect((await run([...undo, '--yes'])).code).toBe(0)
  expect((await run(['findings', '--statuses', 'OPEN', '--total', '--limit', '1'])).stdout).toContain('100 in all')
  expect((await run(['undo', '--yes'])).stderr).toContain('There is no triage to undo')
})

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { openCommandLine } from './command-line.ts'

const paint = (code: number) => (text: string) => `\u001b[${code}m${text}\u001b[39m`
const [red, green, yellow] = [paint(31), paint(32), paint(33)]

async function openEditedFolder(env: Record<string, string> = {}) {
  const { run } = openCommandLine(env)
  const dir = mkdtempSync(join(tmpdir(), 'assay-definitions-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  await run(['init'])
  await run(['terms', 'create', 'first', '--name', 'First', '--detector-types', 'PII'])
  await run(['terms', 'create', 'second', '--name', 'Second', '--detector-types', 'PII'])
  const exported = await run(['export', '--dir', dir, '--color', 'always'])
  const file = (slug: string) => join(dir, 'glossary', `${slug}.yaml`)
  const first = readFileSync(file('first'), 'utf8')
  writeFileSync(file('first'), first.replace('First', 'Premier'))
  writeFileSync(file('third'), first.replaceAll(/first/gi, 'third'))
  rmSync(file('second'))
  return { run, dir, exported }
}

it('diff and apply show what is added, changed and removed in colour, where colour is wanted', async () => {
  const { run, dir, exported } = await openEditedFolder()
  expect(exported.stdout).toContain(`${green('+ glossary/first.yaml')}\n`)
  for (const command of [['diff'], ['apply', '--dry-run']]) {
    const plain = await run([...command, '--dir', dir, '--prune'])
    expect(plain.stdout).not.toContain('\u001b')
    expect(plain.stdout).toMatch(/^\+ .*third/m)
    expect(plain.stdout).toMatch(/^3 to change, \d+ unchanged$/m)
    const colored = await run([...command, '--dir', dir, '--prune', '--color', 'always'])
    expect([colored.code, stripVTControlCharacters(colored.stdout)]).toEqual([plain.code, plain.stdout])
    for (const head of [green('+ term third'), yellow('~ term first'), red('- term second')])
      expect(colored.stdout.split('\n').filter((each) => each.startsWith(head))).toHaveLength(1)
    expect(colored.stdout).toContain(`displayName: ${red('"First"')} → ${green('"Premier"')}`)
  }
  const applied = await run(['apply', '--dir', dir, '--prune', '--color', 'always'])
  expect(applied.stdout).toContain(green('+ term third'))
  expect((await run(['diff', '--dir', dir, '--prune'])).code).toBe(0)
})

it.each([
  [{ FORCE_COLOR: '1' }, [], true],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, [], true],
  [{ NO_COLOR: '1' }, [], false],
  [{ FORCE_COLOR: '1' }, ['--color', 'never'], false],
] as const)('diff with %j and %j is in colour: %s', async (env, more, isColored) => {
  const { run, dir } = await openEditedFolder(env)
  const { stdout } = await run(['diff', '--dir', dir, ...more])
  expect(stdout.includes('\u001b[')).toBe(isColored)
  expect(stdout).toContain('first')
})

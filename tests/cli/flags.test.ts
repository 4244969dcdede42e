import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { Flags, Host } from '../../src/cli/host.ts'
import { runCommandLine } from '../../src/cli/program.ts'
import { takeText } from '../support/stream-text.ts'

async function run(...argv: string[]) {
  const seen: Flags[] = []
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const host: Host = {
    version: '1.2.3',
    stdin: new PassThrough(),
    stdout,
    stderr,
    signal: new AbortController().signal,
    open: () => Promise.reject(new Error('nothing is opened here')),
    operations: async () => [],
    locate: () => ({ home: '', env: {}, networkFolder: false }),
    serve: async (flags) => void seen.push(flags),
    worker: async (flags) => void seen.push(flags),
    mcp: async (flags) => void seen.push(flags),
    demo: async () => {},
    doctor: async (flags) => {
      seen.push(flags)
      return []
    },
    verify: () => Promise.reject(new Error('nothing is compared here')),
    move: () => Promise.reject(new Error('nothing is moved here')),
    browse: async () => false,
  }
  const code = await runCommandLine(argv, host)
  return { code, home: seen[0]?.home, stdout: takeText(stdout), stderr: takeText(stderr) }
}

describe('a global flag', () => {
  it.each([
    [['--home', 'here', 'doctor']],
    [['--home=here', 'doctor']],
    [['doctor', '--home', 'here']],
    [['--json', '--home', 'here', 'doctor']],
    [['--home', 'here', 'mcp', '--read-only']],
    [['--home', 'here', 'serve']],
  ])('works before and after the name of the command: %j', async (argv) => {
    expect(await run(...argv)).toMatchObject({ code: 0, home: 'here' })
  })

  it('requests JSON before the name of the command, too', async () => {
    const before = await run('--json', 'doctor')
    expect(before.stdout).toBe((await run('doctor', '--json')).stdout)
    expect(() => JSON.parse(before.stdout)).not.toThrow()
  })

  it.each([
    [['--home', 'here'], 2, "unknown option '--home'"],
    [['doctor', '--home'], 2, 'argument missing'],
    [['--home'], 2, "unknown option '--home'"],
    [['--json', 'serve'], 2, "unknown option '--json'"],
    [['--homes', 'here', 'doctor'], 2, "unknown option '--homes'"],
    [['--home', 'here', '--version'], 0, '1.2.3'],
  ])('does not hide usage errors: %j', async (argv, code, text) => {
    const ran = await run(...argv)
    expect(ran.code).toBe(code)
    expect(ran.stdout + ran.stderr).toContain(text)
  })
})

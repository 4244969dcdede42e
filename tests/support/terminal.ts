import { PassThrough, Readable } from 'node:stream'
import { operations } from '../../src/catalogue.ts'
import type { Host } from '../../src/cli/host.ts'
import { runCommandLine } from '../../src/cli/program.ts'

/** Runs a command in this process; a member of the host that is not given fails when it is used. */
export async function runOnTerminal(
  argv: readonly string[],
  members: Partial<Host>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const printed: [string[], string[]] = [[], []]
  stdout.on('data', (chunk) => printed[0].push(String(chunk)))
  stderr.on('data', (chunk) => printed[1].push(String(chunk)))
  const host = {
    ...{ version: '1', stdin: Readable.from([]), stdout, stderr, signal: new AbortController().signal },
    operations: async () => operations,
    ...members,
  } as Host
  const code = await runCommandLine(argv, host)
  return { code, stdout: printed[0].join(''), stderr: printed[1].join('') }
}

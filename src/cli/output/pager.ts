import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Host } from '../host.ts'

/** Whether lines are shown by a pager: on a terminal that is shorter, when `$PAGER` names one. */
export const isPaged = ({ stdin, stdout, env = {} }: Host, lines: number): boolean =>
  stdout.isTTY === true &&
  'isTTY' in stdin &&
  stdin.isTTY === true &&
  (env.PAGER ?? '').trim() !== '' &&
  env.PAGER !== 'cat' &&
  lines >= (stdout.rows ?? Number.POSITIVE_INFINITY)

/** Shows lines in the pager until it ends. Returns false if it cannot be started. */
export async function page({ env = {} }: Host, lines: readonly string[]): Promise<boolean> {
  // The environment of this process does not contain the key. `R` shows colours, `F` and `X` leave short texts on screen.
  const pager = spawn(env.PAGER ?? '', {
    shell: true,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { LESS: 'FRX', ...process.env },
  })
  const ended = once(pager, 'close').catch(() => [NOT_FOUND])
  // The pager was closed before its end.
  pager.stdin?.on('error', () => {})
  pager.stdin?.end(`${lines.join('\n')}\n`)
  const [code] = await ended
  return code !== NOT_FOUND && code !== NOT_EXECUTABLE
}

/** Exit codes of the shell. */
const NOT_FOUND = 127
const NOT_EXECUTABLE = 126

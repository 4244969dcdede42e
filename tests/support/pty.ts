import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'
import xterm from '@xterm/headless'

/** Runs commands one after the other, each in a pseudo-terminal of its own, and prints their outputs as JSON. */
const script = `
import base64, fcntl, json, os, pty, select, signal, struct, sys, termios, time
def run(job):
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', job['rows'], job['columns'], 0, 0))
        os.execve(job['argv'][0], job['argv'], job['env'])
    out, deadline, sent = b'', time.time() + 60, False
    while time.time() < deadline:
        ready, _, _ = select.select([fd], [], [], 1)
        if ready:
            try:
                part = os.read(fd, 65536)
            except OSError:
                break
            if not part:
                break
            out += part
        if job.get('sendAfter') and not sent and job['sendAfter'].encode() in out:
            sent = True
            os.write(fd, job['send'].encode())
    else:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    return {'output': base64.b64encode(out).decode(), 'code': os.waitstatus_to_exitcode(status)}
print(json.dumps([run(job) for job in json.load(sys.stdin)]))
`

export interface PtyJob {
  argv: readonly string[]
  columns: number
  rows?: number
  env?: Record<string, string>
  /** What is typed once the output contains `sendAfter`. */
  send?: string
  sendAfter?: string
}

export interface PtyResult {
  code: number
  output: string
}

/** Why commands cannot run in a pseudo-terminal here; undefined where they can. */
export const whyNoPty = (): string | undefined =>
  spawnSync('python3', ['-c', 'import pty, os; os.waitstatus_to_exitcode']).status === 0
    ? undefined
    : 'python3 with the module pty is not installed'

const toInput = (jobs: readonly PtyJob[]): string =>
  JSON.stringify(
    jobs.map(({ env = {}, rows = 500, ...job }) => ({
      ...job,
      rows,
      env: { PATH: process.env.PATH ?? '', TERM: 'xterm-256color', TZ: 'UTC', ...env },
    })),
  )

function toResults(stdout: string, stderr: string): PtyResult[] {
  if (stdout === '') throw new Error(stderr)
  return (JSON.parse(stdout) as PtyResult[]).map(({ code, output }) => {
    const text = Buffer.from(output, 'base64').toString('utf8')
    if (code < 0 || code > 128) throw new Error(`a program in a terminal ended with ${code}: ${text.slice(-2_000)}`)
    return { code, output: text }
  })
}

/** Runs programs, each in a pseudo-terminal, and returns everything that they wrote to it. */
export function runInTerminals(jobs: readonly PtyJob[]): PtyResult[] {
  const { stdout, stderr } = spawnSync('python3', ['-c', script], {
    input: toInput(jobs),
    maxBuffer: 1 << 28,
    encoding: 'utf8',
  })
  return toResults(stdout, stderr)
}

/** The same for one program that talks to a server in this process. */
export async function runInTerminal(job: PtyJob): Promise<PtyResult> {
  const child = spawn('python3', ['-c', script])
  child.stdin.end(toInput([job]))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [result] = toResults(stdout, stderr)
  if (result === undefined) throw new Error(stderr)
  return result
}

export interface ScreenLine {
  text: string
  /** Continues the line above, which was longer than the terminal is wide. */
  isWrapped: boolean
}

/** The lines that a person sees on a terminal after this output. */
export async function readScreen(
  output: string,
  { columns, rows = 500 }: Pick<PtyJob, 'columns' | 'rows'>,
): Promise<ScreenLine[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 5_000, allowProposedApi: true })
  await new Promise<void>((resolve) => terminal.write(output, resolve))
  const { active } = terminal.buffer
  const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at))
  const shown = lines.map((each) => ({
    text: each?.translateToString(true) ?? '',
    isWrapped: each?.isWrapped === true,
  }))
  terminal.dispose()
  return shown.slice(0, shown.findLastIndex(({ text }) => text !== '') + 1)
}

import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { buildEntry } from '../support/entry.ts'
import { cases } from '../support/long.ts'

const canLimit = process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0
const STEP_BYTES = cases(262_144, 4_096)

/** Scans while no file may grow, and lets them grow by one step more each time the scan says that it cannot go on. */
async function scanUnder(stepBytes: number) {
  const home = mkdtempSync(join(tmpdir(), 'assay-limited-'))
  const entry = await buildEntry(new URL('limit-entry.ts', import.meta.url))
  const child = spawn('sh', ['-c', `trap '' XFSZ; exec "$0" "$@"`, process.execPath, entry, home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(home, { recursive: true, force: true })
  })
  const lines: string[] = []
  let limit = 0
  let rest = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    const parts = `${rest}${chunk}`.split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
    if (parts.length === 0 || parts.at(-1)?.startsWith('over') === true) continue
    const largest = Math.max(...readdirSync(home).map((name) => statSync(join(home, name)).size))
    limit = Math.max(limit, largest) + stepBytes
    spawnSync('prlimit', ['--pid', String(child.pid), `--fsize=${limit}:`])
    child.kill('SIGUSR2')
  }
  return lines
}

// Needs `prlimit`, which moves the limit of a running process.
it.skipIf(!canLimit)(
  'a scan whose writes fail at every step resumes each time and ends with the same result',
  async () => {
    const [calm, stepped] = [await scanUnder(2 ** 40), await scanUnder(STEP_BYTES)]
    expect(calm).toEqual(['ready', expect.stringMatching(/^over [0-9a-f]{64} ok$/)])
    expect(stepped.at(-1)).toBe(calm.at(-1))
    const faults = stepped.filter((line) => line.startsWith('fault'))
    expect(faults.length).toBeGreaterThan(5)
    expect(faults.filter((line) => !/^fault (storage_full|(PARTIAL|RUNNING|QUEUED) 0 ok 0)$/.test(line))).toEqual([])
  },
  900_000,
)

import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { buildEntry, type RunningEntry, untilPrinted } from '../support/entry.ts'

const canRun = (command: string, ...args: string[]) =>
  process.platform === 'linux' && spawnSync(command, args, { stdio: 'ignore' }).status === 0
const canLimit = canRun('prlimit', '--version')
const space = ['--user', '--map-root-user', '--mount', 'sh', '-c']
const canMount = canRun('unshare', ...space, 'mount -t tmpfs -o size=1m none /mnt')

async function start(command: string, args: readonly string[]): Promise<RunningEntry & { folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-full-'))
  const entry = await buildEntry(new URL('full-entry.ts', import.meta.url))
  const child = spawn(command, [...args, process.execPath, entry, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  return { child, output: () => text, ended, folder }
}
const linesOf = ({ output }: RunningEntry) =>
  output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as object)

const full = 'unavailable storage_full'
const sound = { whole: true, integrity: 'ok', foreignKeys: 0 }

describe('a full disk', () => {
  // Needs `prlimit`, which lets the file grow again.
  it.skipIf(!canLimit)(
    'by a file size limit is reported; reads continue, and writes resume once it is lifted',
    async () => {
      const limited = `trap '' XFSZ; ulimit -S -f 8192; exec "$0" "$@"`
      const running = await start('sh', ['-c', limited])
      await untilPrinted(running, 'full\n')
      expect(linesOf(running)).toMatchObject([{ refused: full, again: full, ...sound }])
      spawnSync('prlimit', ['--pid', String(running.child.pid), '--fsize=unlimited:'])
      running.child.kill('SIGUSR2')
      await untilPrinted(running, 'over')
      expect(linesOf(running)[1]).toMatchObject({ resumed: true, ...sound })
    },
    120_000,
  )

  // Needs a mount of its own, which not every machine allows.
  it.skipIf(!canMount)(
    'by its small size is reported; reads continue, and writes resume once there is space',
    async () => {
      const mounted =
        'last=""; for each in "$@"; do last=$each; done; mount -t tmpfs -o size=6m none "$last"; exec "$0" "$@"'
      const running = await start('unshare', [...space, mounted])
      await untilPrinted(running, 'full\n')
      expect(linesOf(running)).toMatchObject([{ refused: full, again: full, ...sound }])
      running.child.kill('SIGUSR2')
      await untilPrinted(running, 'over')
      expect(linesOf(running)[1]).toMatchObject({ resumed: true, ...sound })
    },
    120_000,
  )
})

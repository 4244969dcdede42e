import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { builtWorkers, listProjects, reversedProject, VaultsLast } from './vitest.projects.ts'

const rooms = readdirSync(new URL('./tests', import.meta.url)).filter((room) => room !== 'long')

const MEMORY = '/dev/shm'
const MIN_MEMORY_BYTES = 4 * 1024 ** 3

/** Keeps temporary files in memory where there is room for them: on a disk, most tests would wait for SQLite's commits. */
function keepFilesInMemory(): void {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY)) return
  const { bavail, bsize } = statfsSync(MEMORY)
  if (bavail * bsize < MIN_MEMORY_BYTES) return
  const folder = mkdtempSync(join(MEMORY, 'assay-'))
  // Some tests run the program as another user.
  chmodSync(folder, 0o755)
  process.env.TMPDIR = folder
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
}

keepFilesInMemory()

export default defineConfig({
  test: {
    projects: [...listProjects(rooms), reversedProject],
    ...builtWorkers,
    sequence: { sequencer: VaultsLast },
    pool: 'forks',
    // One more than the cores of a small machine, because many tests wait for processes and clocks.
    maxWorkers: 3,
    // Imports and answers are short-lived objects: in a small young generation a seventh of the time is collection.
    execArgv: ['--min-semi-space-size=32'],
    // In stores on a server, each statement is a round trip.
    testTimeout: process.env.ASSAY_TEST_STORE === undefined ? 30_000 : 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
  },
})

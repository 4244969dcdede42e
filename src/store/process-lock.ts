import Database from 'better-sqlite3'

export interface ProcessLock {
  release(): void
}

/**
 * Takes an exclusive lock on a file, which is created if needed; undefined while another process has it. The operating
 * system releases it when the process ends, however it ends.
 */
export function tryLock(file: string): ProcessLock | undefined {
  const database = new Database(file, { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
    return { release: () => database.close() }
  } catch (error) {
    database.close()
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')) return undefined
    throw error
  }
}

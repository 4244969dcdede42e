import { hostname } from 'node:os'
import { workerData } from 'node:worker_threads'

/**
 * Identifies this process in all its threads: a restarted container may have the host name and process id of the
 * previous one.
 */
export const processMark: string = findGivenMark() ?? crypto.randomUUID().slice(0, 8)

/** Released owners of this process, as far as this thread knows. */
const gone = new Set<string>()

/**
 * Names the owner of a lease so that other processes can check whether it is alive: host, process id, process mark, and
 * a unique suffix.
 */
export interface Owner {
  readonly name: string
  release(): void
}

export function createOwner(): Owner {
  const name = `${hostname()}/${process.pid}/${processMark}/${crypto.randomUUID().slice(0, 8)}`
  return { name, release: () => gone.add(name) }
}

/**
 * True only if it is certain: the owner's process ran on this machine and is gone, or this thread released the owner.
 */
export function isCertainlyDead(owner: string): boolean {
  const [host, pid, mark] = owner.split('/')
  const id = Number(pid)
  if (host !== hostname() || !Number.isInteger(id) || id <= 0) return false
  if (id === process.pid) return mark !== processMark || gone.has(owner)
  try {
    process.kill(id, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}

function findGivenMark(): string | undefined {
  const given: unknown = workerData
  if (typeof given !== 'object' || given === null || !('processMark' in given)) return undefined
  return typeof given.processMark === 'string' ? given.processMark : undefined
}

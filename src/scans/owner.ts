import { hostname } from 'node:os'
import { workerData } from 'node:worker_threads'

/**
 * Marks this process in all its threads: a restarted container may have the host name and process id of the dead one.
 */
export const processMark: string = findGivenMark() ?? crypto.randomUUID().slice(0, 8)

/** Drivers of this process that are no more, as far as this thread was told. */
const gone = new Set<string>()

/**
 * Names a driver so that others can see whether it still lives: host, process, the mark of its run, and a number of its
 * own.
 */
export interface Owner {
  readonly name: string
  release(): void
}

export function createOwner(): Owner {
  const name = `${hostname()}/${process.pid}/${processMark}/${crypto.randomUUID().slice(0, 8)}`
  return { name, release: () => gone.add(name) }
}

/** True only when it is certain: the owner's process ran on this machine and is gone. */
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

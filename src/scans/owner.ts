import { hostname } from 'node:os'

/** The drivers of this process that are alive: a restarted container may have the host name and pid of the dead one. */
const alive = new Set<string>()

/** Names a driver so that others can see whether it still lives: host, process, and a number of its own. */
export interface Owner {
  readonly name: string
  release(): void
}

export function createOwner(): Owner {
  const name = `${hostname()}/${process.pid}/${crypto.randomUUID().slice(0, 8)}`
  alive.add(name)
  return { name, release: () => alive.delete(name) }
}

/** True only when it is certain: the owner's process ran on this machine and is gone. */
export function isCertainlyDead(owner: string): boolean {
  const [host, pid] = owner.split('/')
  const id = Number(pid)
  if (host !== hostname() || !Number.isInteger(id) || id <= 0) return false
  if (id === process.pid) return !alive.has(owner)
  try {
    process.kill(id, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}

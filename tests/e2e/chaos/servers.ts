import { setTimeout as sleep } from 'node:timers/promises'
import { makeHome, type ServingProcess, startAssay } from '../../support/assay.ts'
import { type CommitFault, type CuttingProxy, startCuttingProxy } from '../../support/cutting-proxy.ts'

/** One key for all servers, as machines need it. */
const ASSAY_KEY = Buffer.alloc(32, 7).toString('base64')

export interface Dice {
  /** From 0 up to 1. */
  next(): number
  below(count: number): number
  pick<Item>(items: readonly Item[]): Item
}

export function createDice(next: () => number): Dice {
  const below = (count: number) => Math.floor(next() * count)
  return { next, below, pick: (items) => items[below(items.length)] as (typeof items)[number] }
}

interface Machine {
  home: string
  remove: () => void
  proxy: CuttingProxy | undefined
  hostName: string | undefined
  server: ServingProcess | undefined
  log: string
}

/** Servers of one database, of which one after the other is killed, paused or cut off. */
export class Servers {
  readonly counts = { kills: 0, pauses: 0, stalls: 0, lostCommits: 0, unansweredCommits: 0 }
  readonly #machines: Machine[] = []
  readonly #store: string
  readonly #dice: Dice
  /** The part of all COMMITs through a proxy that is cut. */
  #cutCommits = 0

  private constructor(store: string, dice: Dice) {
    this.#store = store
    this.#dice = dice
  }

  /** Starts servers; each other one reaches the database through a proxy, half of them have a host name of their own. */
  static async start(store: string, count: number, dice: Dice): Promise<Servers> {
    const servers = new Servers(store, dice)
    for (let number = 0; number < count; number++) {
      const proxy = number % 2 === 0 ? await startCuttingProxy(store, () => servers.#decideCommit()) : undefined
      const hostName = number % 4 < 2 ? `chaos-${number}` : undefined
      servers.#machines.push({ ...makeHome(), proxy, hostName, server: undefined, log: '' })
    }
    await Promise.all(servers.#machines.map((machine) => servers.#start(machine)))
    return servers
  }

  #decideCommit(): CommitFault {
    if (this.#dice.next() >= this.#cutCommits) return undefined
    const isLost = this.#dice.next() < 0.5
    this.counts[isLost ? 'lostCommits' : 'unansweredCommits']++
    return isLost ? 'lost' : 'unanswered'
  }

  async #start(machine: Machine): Promise<void> {
    const env = { ASSAY_STORE: machine.proxy?.url ?? this.#store, ASSAY_KEY }
    const { home, hostName } = machine
    const options = { home, env, ...(hostName === undefined ? {} : { hostName }) }
    let server: ServingProcess | undefined
    while (server === undefined) {
      // One whose connection is cut while it starts ends, and is started again.
      server = await startAssay(['serve', '--port', '0', '--log-level', 'info'], options).catch((error: Error) => {
        if (!/cannot be reached|busy/.test(error.message)) throw error
        return undefined
      })
    }
    server.child.stderr?.on('data', (text: string) => {
      machine.log += text
    })
    machine.server = server
  }

  /** The address of a server that runs. */
  pick(dice: Dice): string {
    const urls = this.urls
    return urls.length === 0 ? 'http://127.0.0.1:1' : dice.pick(urls)
  }

  get urls(): string[] {
    return this.#machines.flatMap(({ server }) => server?.url ?? [])
  }

  get cuts(): number {
    return this.#machines.reduce((sum, { proxy }) => sum + (proxy?.cuts() ?? 0), 0)
  }

  /** Lines of the logs of all servers. */
  listLog(pattern: RegExp): string[] {
    return this.#machines.flatMap(({ log }) => log.split('\n').filter((line) => pattern.test(line)))
  }

  hasEngine(url: string): boolean {
    const machine = this.#machines.find(({ server }) => server?.url === url)
    return machine?.log.includes('the engine is ready') === true
  }

  /** Harms servers and connections until it is over, then sees to it that all servers run. */
  async harass(isOver: () => boolean): Promise<void> {
    this.#cutCommits = 0.02
    const often = async (meanMs: number, act: () => Promise<unknown> | unknown) => {
      while (!isOver()) {
        const until = performance.now() + meanMs * (0.5 + this.#dice.next())
        while (performance.now() < until && !isOver()) await sleep(100)
        if (!isOver()) await act()
      }
    }
    await Promise.all([
      often(12_000, () => this.#kill(this.#dice.pick(this.#machines))),
      often(90_000, () => this.#pause(this.#dice.pick(this.#machines), 1_000 + this.#dice.next() ** 2 * 40_000)),
      often(3_000, () => this.#proxies.at(this.#dice.below(this.#proxies.length))?.cut(this.#dice.next())),
      often(20_000, () => {
        this.counts.stalls++
        this.#proxies.at(this.#dice.below(this.#proxies.length))?.stall(this.#dice.next() * 6_000)
      }),
    ])
    this.#cutCommits = 0
  }

  get #proxies(): CuttingProxy[] {
    return this.#machines.flatMap(({ proxy }) => proxy ?? [])
  }

  async #kill(machine: Machine): Promise<void> {
    const { server } = machine
    if (server === undefined) return
    machine.server = undefined
    this.counts.kills++
    server.child.kill('SIGKILL')
    await server.closed
    machine.log = machine.log.replaceAll('the engine is ready', '')
    await this.#start(machine)
  }

  async #pause({ server }: Machine, ms: number): Promise<void> {
    if (server?.child.kill('SIGSTOP') !== true) return
    this.counts.pauses++
    await sleep(ms)
    server.child.kill('SIGCONT')
  }

  async stop(): Promise<void> {
    await Promise.all(this.#machines.map(({ server }) => server?.stop()))
    for (const { proxy, remove } of this.#machines) {
      proxy?.close()
      remove()
    }
  }
}

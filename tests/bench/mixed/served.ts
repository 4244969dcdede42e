import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { firstUrl } from '../../support/assay.ts'
import { Connections } from './connections.ts'

const watchFile = new URL('./watch.mjs', import.meta.url).href

/** How late the event loop of a main thread was, in milliseconds. */
export interface Delay {
  p50: number
  p99: number
  most: number
  turns: number
}

/** One request that is asked again and again. */
export interface Asked {
  name: string
  method: 'GET' | 'POST'
  path: string
  body?: object
}

/** A server in a process of its own that tells how late its event loop is. */
export class Served {
  readonly child: ChildProcess
  readonly url: string
  /** What it has written to stderr. */
  log = ''
  readonly #connections: Connections

  private constructor(child: ChildProcess, url: string) {
    this.child = child
    this.url = url
    this.#connections = new Connections(url)
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.log += text
    })
  }

  static async start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Served> {
    const child = spawn(process.execPath, ['--import', watchFile, ...args], {
      env: { ...process.env, NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    return new Served(child, await firstUrl(child))
  }

  /** The milliseconds to the whole answer. */
  async ask({ method, path, body }: Asked): Promise<number> {
    const since = performance.now()
    const status = await this.#connections.ask(method, path, body === undefined ? undefined : JSON.stringify(body))
    if (status !== 200) throw new Error(`${method} ${path} was answered with ${status}`)
    return performance.now() - since
  }

  /** What the main thread's event loop was like while `work` ran. */
  async watch<T>(work: () => Promise<T>): Promise<{ result: T; delay: Delay }> {
    this.child.send('begin')
    const result = await work()
    const told = new Promise<Delay>((resolve) => this.child.once('message', (delay) => resolve(delay as Delay)))
    this.child.send('end')
    return { result, delay: await told }
  }

  /** Sends a command to the server's own program, where it listens for some. */
  tell(message: string): void {
    this.child.send(message)
  }

  async stop(): Promise<void> {
    this.#connections.close()
    const closed = once(this.child, 'exit')
    this.child.kill()
    await closed
  }
}

/**
 * Asks one after the other at a fixed beat, whether or not the one before was answered, so that a pause is felt by all
 * that come in it. Gives the milliseconds of each kind of question.
 */
export async function askSteadily(
  served: Served,
  questions: readonly (() => Asked)[],
  { everyMs, until }: { everyMs: number; until: (asked: number) => boolean },
): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>()
  const running: Promise<void>[] = []
  const since = performance.now()
  for (let number = 0; !until(number); number++) {
    const question = questions[number % questions.length]?.()
    if (question === undefined) break
    const waitMs = since + number * everyMs - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    running.push(
      served.ask(question).then((ms) => {
        const known = times.get(question.name) ?? []
        known.push(ms)
        times.set(question.name, known)
      }),
    )
  }
  await Promise.all(running)
  return times
}

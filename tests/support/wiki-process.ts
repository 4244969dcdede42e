import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { GeneratedWikiOptions } from '../sample/generated-wiki.ts'
import { buildEntry } from './entry.ts'

const entry = new URL('./wiki-entry.ts', import.meta.url)

export interface WikiProcess {
  url: string
  /** Requests that it has answered so far. */
  countRequests(): Promise<number>
  close(): Promise<void>
}

/** Starts a generated wiki in another process. */
export async function startWikiProcess(options: GeneratedWikiOptions & { latencyMs: number }): Promise<WikiProcess> {
  const child = fork(await buildEntry(entry), [JSON.stringify(options)], { execArgv: [] })
  const next = () => new Promise<Record<string, unknown>>((resolve) => child.once('message', resolve as never))
  const { url } = await next()
  return {
    url: String(url),
    countRequests: async () => {
      child.send('count')
      return Number((await next()).answered)
    },
    close: async () => {
      const ended = once(child, 'exit')
      child.send('close')
      await ended
    },
  }
}

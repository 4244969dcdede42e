import { Agent, request } from 'node:http'
import { serveAssay } from '../../support/assay.ts'
import { median } from './compare.ts'
import { DASHBOARD } from './questions.ts'

type Served = Awaited<ReturnType<typeof serveAssay>> & { ask(): Promise<string>; built: Promise<void> }

async function serve(home: string): Promise<Served> {
  const server = await serveAssay(home, ['--no-background'])
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const body = JSON.stringify({ dashboard: DASHBOARD })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const built = new Promise<void>((resolve) => {
    server.child.stderr?.on('data', (text: string) => {
      if (text.includes('the engine is ready')) resolve()
    })
  })
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      const url = new URL('/semantic/query/dashboard', server.url)
      const sent = request(url, { method: 'POST', agent, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        response.on('end', () => {
          if (response.statusCode === 200) resolve(text)
          else reject(new Error(`the dashboard was answered with ${response.statusCode}: ${text}`))
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  return { ...server, ask, built }
}

/**
 * The median time of the dashboard of 12 over HTTP from two running programs, asked in turns, once both have an engine.
 */
export async function serveBoth(
  homes: readonly [string, string],
  rounds: number,
): Promise<{ largeMs: number; smallMs: number }> {
  const servers = await Promise.all(homes.map(serve))
  try {
    await Promise.all(servers.map(({ built }) => built))
    const times = servers.map(() => [] as number[])
    for (let round = -20; round < rounds; round++) {
      for (const [index, { ask }] of servers.entries()) {
        const started = performance.now()
        const text = await ask()
        if (round >= 0) times[index]?.push(performance.now() - started)
        if (round === -20 && !text.includes('"metrics"')) throw new Error(`no dashboard: ${text.slice(0, 200)}`)
      }
    }
    return { largeMs: median(times[0] ?? []), smallMs: median(times[1] ?? []) }
  } finally {
    await Promise.all(servers.map(({ stop }) => stop()))
  }
}

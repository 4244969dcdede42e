import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../src/sample/ids.ts'
import { makeHome, runAssay, serveAssay, spawnAssay } from '../support/assay.ts'
import { cases, maxMs } from '../support/long.ts'
import { ask } from './estate.ts'

const RUNS = cases(4, 100)
const toTerm = (slug: string) => ({ slug, displayName: slug, filterMapping: { severities: ['HIGH'] } })

let original: string
let remove: () => void
beforeAll(async () => {
  ;({ home: original, remove } = makeHome())
  expect((await runAssay(['init'], { home: original })).code).toBe(0)
})
afterAll(() => remove())

/** Creates a term in a process of its own, which is killed after `killAfterMs` if that is given. */
async function createElsewhere(home: string, slug: string, killAfterMs: number | undefined) {
  const child = spawnAssay(['call', 'create_glossary_term', '-'], { home })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  child.stdin?.on('error', () => {}).end(JSON.stringify(toTerm(slug)))
  if (killAfterMs !== undefined) {
    await sleep(killAfterMs)
    child.kill('SIGKILL')
  }
  return { code: await ended, errors }
}

describe('writes that were acknowledged', () => {
  it(
    'survive the removal of the index of the log under a server, whichever process is killed',
    async () => {
      const random = createRandom('lost log')
      const outcomes = { refused: 0, written: 0, killed: 0 }
      for (let run = 0; run < RUNS; run++) {
        const home = join(mkdtempSync(join(tmpdir(), 'assay-log-')), 'home')
        cpSync(original, home, { recursive: true })
        const { url, child, closed } = await serveAssay(home)
        const acknowledged: string[] = []
        const createHere = async (slug: string) => {
          const reply = await ask(url, 'POST', '/semantic/glossary', toTerm(slug)).catch(() => undefined)
          if (reply?.status === 201) acknowledged.push(slug)
        }
        for (let term = 0; term < 3; term++) await createHere(`here-${term}`)
        // A log that was removed is only in the process that has it open, so that one may end but not be killed.
        const parts = run % 4 === 3 ? ['-shm', '-wal'] : ['-shm']
        for (const part of parts) rmSync(join(home, `assay.db${part}`))
        const stopServer = async () => {
          await sleep(random() * 600)
          child.kill(parts.length === 1 && random() < 0.5 ? 'SIGKILL' : 'SIGTERM')
          await closed
        }
        const other = async (slug: string, killAfterMs?: number) => {
          const { code, errors } = await createElsewhere(home, slug, killAfterMs)
          if (code === 0) acknowledged.push(slug)
          outcomes[code === 0 ? 'written' : code === null ? 'killed' : 'refused']++
          if (code !== 0 && code !== null) expect(errors).toMatch(/while it was in use.*stop every assay process/)
        }
        // The first of each four runs has the other process write while the server lives.
        if (run % 4 === 0) await other('elsewhere-0')
        const killAfterMs = random() < 0.4 ? random() * 900 : undefined
        await Promise.all([stopServer(), other('elsewhere-1', killAfterMs), createHere('late')])
        await other('elsewhere-2')
        const { code, stdout } = await runAssay(['call', 'list_glossary_terms'], { home })
        expect(code).toBe(0)
        expect(acknowledged.filter((slug) => !stdout.includes(`"${slug}"`))).toEqual([])
        rmSync(home, { recursive: true, force: true })
      }
      expect(outcomes.refused).toBeGreaterThan(0)
      expect(outcomes.written).toBeGreaterThan(0)
    },
    maxMs(120_000),
  )
})

import { describe, expect, it } from 'vitest'
import { isLong, maxMs } from '../../support/long.ts'
import { missingPrograms } from '../../support/postgres.ts'
import { type HostileCase, hostileCases } from './cases.ts'
import { openHostileBench, withOwnDatabase } from './run.ts'

/** One of each kind. */
const few = [
  'WIKI \\/inline-comments$ has half a surrogate pair in each id',
  'WIKI \\/spaces\\/\\d+\\/pages$ has a heading of 199 letters and an emoji in each text',
  'WIKI \\/spaces\\/\\d+\\/pages$ asks to wait 8640000000000',
  'WIKI \\/footer-comments$ lists millions of empty objects',
  'WIKI pages with a PDF with 400 MB of blanks packed three times',
  'BI_PLATFORM \\/groups\\/[\\w-]+\\/datasets$ links to new empty pages for ever',
  'BI_PLATFORM \\/scanResult\\/ has half a surrogate pair in each text',
]

const tried = isLong ? hostileCases : hostileCases.filter(({ name }) => few.includes(name))
/** Cases that one server runs, because what the C library keeps for later grows with the number of large replies. */
const CASES_PER_SERVER = 10

async function expectHarmless(cases: readonly HostileCase[], store?: string): Promise<void> {
  const bench = await openHostileBench(store)
  try {
    for (const hostile of cases) expect((await bench.run(hostile)).problems, hostile.name).toEqual([])
  } finally {
    await bench.close()
  }
}

async function inParts(work: (cases: readonly HostileCase[]) => Promise<void>): Promise<void> {
  for (let at = 0; at < tried.length; at += CASES_PER_SERVER) await work(tried.slice(at, at + CASES_PER_SERVER))
}

describe('hostile replies of a tenant', () => {
  it('are at least two hundred, of which some are tried', () => {
    expect(hostileCases.length).toBeGreaterThanOrEqual(200)
    expect(tried.length).toBeGreaterThanOrEqual(few.length)
  })

  it('stop neither the server nor other scans', () => inParts(expectHarmless), maxMs(300_000))

  it.skipIf(missingPrograms !== undefined)(
    `stop neither the server nor other scans on PostgreSQL ${missingPrograms ?? ''}`,
    () => inParts((cases) => withOwnDatabase((store) => expectHarmless(cases, store))),
    maxMs(300_000),
  )
})

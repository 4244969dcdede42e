import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { selectFinding } from '../../src/findings/list.store.ts'
import type { Plan } from '../../src/query/plan/plan.ts'
import { selectGroups, toPlanTerms } from '../../src/query/sql/plan.store.ts'
import type { CachedQuery } from '../../src/store/cached-query.ts'
import { saveLease, selectLease } from '../../src/store/lease.store.ts'
import { type Reader, Store } from '../../src/store/store.ts'
import { describeMachine, print, readCount, readFlags, saveResults } from '../support/bench.ts'
import { fillStore, NOW } from './query/estate.ts'
import { median } from './rivals/figures.ts'

// What a query costs beside its prepared statement: with SQL kept by shape, and built and compiled each time.
// npm run bench -- compile [--findings 1000] [--rounds 21] [--ms 20] [--json FILE]

const flags = readFlags({ findings: '1000', rounds: '21', ms: '20', folder: tmpdir() })
const findings = readCount('findings', flags.findings)
const rounds = readCount('rounds', flags.rounds)
const roundMs = readCount('ms', flags.ms)
const DAY = 24 * 3_600_000

const toPlan = (number: number): Plan => ({
  entity: 'finding',
  mode: 'flow',
  measure: { aggregation: 'COUNT' },
  conditions: [
    { key: 'statuses', values: ['OPEN', 'RESOLVED'], exclude: false, origin: 'metric' },
    { key: 'detectorTypes', values: ['SECRETS', 'PII', 'CODE'], exclude: false, origin: 'caller' },
    { key: 'minConfidence', values: [(number % 100) / 100], exclude: false, origin: 'caller' },
  ],
  timeField: 'firstDetectedAt',
  range: { from: NOW - 90 * DAY - number, to: NOW - number },
  at: NOW,
  dimensions: ['severity'],
})

type Ways = Record<'raw' | 'kept' | 'anew', (number: number) => unknown>

/** The ways to run one query; each binds values of its own every time. */
function toWays<Input>(
  reader: Reader,
  query: CachedQuery<Input, unknown>,
  toInput: (number: number) => Input,
  toParameters: (number: number) => readonly unknown[],
): Ways {
  const statement = reader.prepare(query(toInput(0)).sql)
  return {
    raw: (number) => statement.all(...toParameters(number)),
    kept: (number) => reader.all(query(toInput(number))),
    anew: (number) => reader.all(query.build(toInput(number))),
  }
}

function listWays(reader: Reader): Record<string, Ways> {
  // What an input becomes is the work of neither, so the raw statement gets it made.
  const terms = Array.from({ length: 100 }, (_, number) => toPlanTerms(reader, toPlan(number), undefined))
  const made = terms.map((each) => selectGroups(each).parameters)
  const termsOf = (number: number) => terms[number % terms.length] as (typeof terms)[number]
  return {
    'one row of a small table': toWays(
      reader,
      selectLease,
      (number) => `lease-${number % 10}`,
      (number) => [`lease-${number % 10}`],
    ),
    'one finding with its names': toWays(
      reader,
      selectFinding,
      (number) => String(1 + (number % findings)),
      (number) => [1 + (number % findings)],
    ),
    'count by severity, four conditions': toWays(
      reader,
      selectGroups,
      termsOf,
      (number) => made[number % made.length] ?? [],
    ),
  }
}

/** Microseconds of one run, over so many milliseconds. */
function time(run: (number: number) => unknown): number {
  const since = performance.now()
  let count = 0
  for (; performance.now() - since < roundMs; count += 8) {
    for (let number = count; number < count + 8; number++) run(number)
  }
  return ((performance.now() - since) / count) * 1000
}

const folder = mkdtempSync(join(flags.folder, 'assay-bench-compile-'))
try {
  const store = Store.open(join(folder, 'assay.db'), { now: () => NOW })
  fillStore(store, findings, folder)
  store.write((writer) => {
    for (let each = 0; each < 10; each++) saveLease(writer, `lease-${each}`, { holder: 'bench', expiresAt: NOW })
  })
  print(`machine ${JSON.stringify(describeMachine())}`)
  print(`${findings} findings; medians of ${rounds} rounds, one after the other`)
  const results = store.read((reader) =>
    Object.entries(listWays(reader)).map(([name, ways]) => {
      const names = Object.keys(ways) as (keyof Ways)[]
      for (const way of names) time(ways[way])
      const taken = Array.from({ length: rounds }, () => names.map((way) => time(ways[way])))
      const [raw = 0, kept = 0, anew = 0] = names.map((_, index) => median(taken.map((each) => each[index] ?? 0)))
      print(
        `${name.padEnd(36)} statement ${raw.toFixed(2)} us; kept by shape ${kept.toFixed(2)} us (${(kept / raw).toFixed(2)}x); ` +
          `built each time ${anew.toFixed(2)} us (${(anew / raw).toFixed(2)}x)`,
      )
      return { name, statementUs: raw, keptUs: kept, builtUs: anew }
    }),
  )
  store.close()
  saveResults(flags.json, { command: 'npm run bench -- compile', findings, results })
} finally {
  rmSync(folder, { recursive: true, force: true })
}

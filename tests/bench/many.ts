import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killDrivers, shareFolder } from '../e2e/many.ts'
import { startTogether } from '../store/old-database.ts'
import { describeMachine, print, quantile, readCount, readFlags, saveResults } from '../support/bench.ts'

// Many processes on one data folder: how long writes wait, how soon another drives after a kill, how soon all serve.
// npm run bench -- many [--processes 9] [--writes 300] [--kills 50] [--starts 20] [--json FILE]

const flags = readFlags({ processes: '9', writes: '300', kills: '50', starts: '20' })
const MAX_WAIT_P99_MS = 250
const MAX_FAILOVER_MS = 2_000
const MAX_START_MS = 5_000
const HOUR_S = 3_600

let slow = false
const tell = (text: string, figure: number, most: number) => {
  slow ||= figure > most
  print(`${text}; ${figure > most ? 'NOT within' : 'within'} ${most} ms`)
}
const withHome = async <T>(work: (home: string) => Promise<T>): Promise<T> => {
  const home = mkdtempSync(join(tmpdir(), 'assay-bench-many-'))
  try {
    return await work(home)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

print(`machine ${JSON.stringify(describeMachine())}`)
const processes = readCount('processes', flags.processes)
const mostWrites = readCount('writes', flags.writes)
const shared = await withHome((home) => shareFolder(home, { processes, seconds: HOUR_S, mostWrites }))
const waits = shared.reports.flatMap(({ waitsMs }) => waitsMs)
const failures = shared.reports.map(({ failures }) => failures).filter((each) => Object.keys(each).length > 0)
const waitP99 = quantile(waits, 0.99)
tell(
  `${processes} processes, ${waits.length} writes, ${failures.length} with failures, ${shared.drivers.size} driver; ` +
    `a write waited ${quantile(waits, 0.5)} ms (p50), ${waitP99} ms (p99), ${Math.max(...waits)} ms at most`,
  waitP99,
  MAX_WAIT_P99_MS,
)
const { failoverMs } = await withHome((home) =>
  killDrivers(home, { processes: 6, kills: readCount('kills', flags.kills) }),
)
const longest = Math.max(...failoverMs)
tell(
  `${failoverMs.length} drivers killed; another drove after ${quantile(failoverMs, 0.5).toFixed(0)} ms (p50), ${longest.toFixed(0)} ms at most`,
  longest,
  MAX_FAILOVER_MS,
)
const starts = readCount('starts', flags.starts)
for (const how of ['empty', 'old'] as const) {
  const ms = await withHome((home) => startTogether(join(home, 'assay.db'), starts, how))
  tell(
    `${starts} processes at once on an ${how} database: all have written after ${ms.toFixed(0)} ms`,
    ms,
    MAX_START_MS,
  )
}
saveResults(flags.json, { waits, failures, failoverMs })
if (slow || failures.length > 0) process.exitCode = 1

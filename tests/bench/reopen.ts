import { killWriters } from '../store/killed-writer.ts'
import { describeMachine, print, quantile, readCount, readFlags, saveResults } from '../support/bench.ts'

// How long a database takes to open after the process that wrote to it was killed, and whether all was kept.
// npm run bench -- reopen [--kills 300] [--seed 7] [--json FILE]

const flags = readFlags({ kills: '300', seed: '7' })
const MAX_P99_MS = 50

const { kills, acknowledged, damages, openMs } = await killWriters(
  readCount('kills', flags.kills),
  readCount('seed', flags.seed),
)
const [half, most] = [quantile(openMs, 0.5), quantile(openMs, 0.99)]
print(`machine ${JSON.stringify(describeMachine())}`)
print(
  `${kills} kills, ${acknowledged} batches told as kept, ${damages.length} damages; opened in ${half.toFixed(1)} ms (p50), ` +
    `${most.toFixed(1)} ms (p99), ${Math.max(...openMs).toFixed(1)} ms at most; p99 may be ${MAX_P99_MS} ms`,
)
saveResults(flags.json, { kills, acknowledged, damages, openMs })
if (most > MAX_P99_MS || damages.length > 0) process.exitCode = 1

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildEngine } from '../../src/engine/load.store.ts'
import { attachEngine, findEngine } from '../../src/query/engine/executor.ts'
import { Store } from '../../src/store/store.ts'
import { print, printMachine, readCount, readFlags, saveResults } from '../support/bench.ts'
import { compare, type Measured } from './query/compare.ts'
import { openDuck } from './query/duck.ts'
import { fillStore, NOW } from './query/estate.ts'
import { plantQuestions, questions } from './query/questions.ts'

// 15 questions to the columnar index, in one process and in turns with DuckDB on two threads.
// npm run bench -- query [--rows 1e6] [--json FILE]

const flags = readFlags({ rows: '1e6' })
const rows = readCount('rows', flags.rows)
const folder = mkdtempSync(join(tmpdir(), 'assay-bench-query-'))
const geometricMean = (numbers: readonly number[]) =>
  Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length)

try {
  printMachine()
  const store = Store.open(join(folder, 'assay.db'), { now: () => NOW })
  const filled = fillStore(store, rows, folder)
  plantQuestions(store)
  const started = performance.now()
  store.read((reader) => attachEngine(reader, buildEngine(reader)))
  const seconds = (performance.now() - started) / 1000
  const bytes = (store.read(findEngine)?.bytes ?? 0) / filled.findings
  print(`${filled.findings} findings; index built in ${seconds.toFixed(1)} s, ${bytes.toFixed(1)} bytes a finding`)
  const duck = await openDuck(join(folder, 'duck.db'), filled)
  const measured: Measured[] = []
  print(`${'milliseconds, medians'.padEnd(44)}   DuckDB       warm              cold`)
  for (const question of questions) {
    const one = await compare(store, duck, question)
    measured.push(one)
    const [duckMs, warmMs, coldMs] = [one.duckMs, one.warmMs, one.coldMs].map((ms) => ms.toFixed(2).padStart(9))
    const [warm, cold] = [one.warmMs, one.coldMs].map((ms) => `${(one.duckMs / ms).toFixed(1)}x`.padStart(8))
    print(`${one.name.padEnd(44)}${duckMs}  ${warmMs}${warm} ${coldMs}${cold}`)
  }
  duck.close()
  store.close()
  const summarize = (of: 'warmMs' | 'coldMs') => {
    const ratios = measured.map((one) => one.duckMs / one[of])
    return { mean: geometricMean(ratios), least: Math.min(...ratios) }
  }
  const summary = { warm: summarize('warmMs'), cold: summarize('coldMs') }
  for (const [how, { mean, least }] of Object.entries(summary)) {
    print(`${how}: ${mean.toFixed(1)} times as fast as DuckDB (geometric mean), ${least.toFixed(1)} times at least`)
  }
  saveResults(flags.json, {
    rows: filled.findings,
    buildSeconds: seconds,
    bytesPerFinding: bytes,
    ...summary,
    measured,
  })
  process.exitCode = measured.every(({ equal }) => equal) ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

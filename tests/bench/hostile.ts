import { hostilePieces, repeat } from '../detectors/hostile.ts'
import { hostileWorks } from '../detectors/hostile-works.ts'

// What 2 MB of a hostile text cost each detector and each parser, in milliseconds of one core.
// node tests/bench/hostile.ts [limit in ms]

const limitMs = Number(process.argv[2] ?? 2_000)
const pieces = Object.values(hostilePieces).flat()
const worst = new Map(Object.keys(hostileWorks).map((name) => [name, { ms: 0, piece: '' }]))
let over = 0

for (const piece of pieces) {
  const text = repeat(piece)
  for (const [name, work] of Object.entries(hostileWorks)) {
    const before = process.cpuUsage()
    work(text)
    const { user, system } = process.cpuUsage(before)
    const ms = (user + system) / 1_000
    if (ms > (worst.get(name)?.ms ?? 0)) worst.set(name, { ms, piece })
    if (ms > limitMs) {
      over++
      process.stdout.write(`over: ${name} ${JSON.stringify(piece)} ${ms.toFixed(0)} ms\n`)
    }
  }
}
process.stdout.write(`${pieces.length} pieces, each repeated to 2 MB; the worst:\n`)
for (const [name, { ms, piece }] of worst)
  process.stdout.write(`${name.padEnd(32)}${ms.toFixed(0).padStart(6)} ms  ${JSON.stringify(piece)}\n`)
process.stdout.write(`${over} over ${limitMs} ms\n`)

import { cpus, loadavg } from 'node:os'
import { saveResults } from '../../support/bench.ts'

/** What one run of a benchmark measured. */
export interface Figure {
  what: string
  of: string
  unit: string
  median: number
  best: number
  rounds: number
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

export function toFigure(what: string, of: string, unit: string, values: readonly number[], more: boolean): Figure {
  const best = more ? Math.max(...values) : Math.min(...values)
  return { what, of, unit, median: median(values), best, rounds: values.length }
}

const round = (value: number) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2))

/** Prints the figures, ours against each rival's as a ratio of medians, and keeps them in a file when one is named. */
export function report(name: string, figures: readonly Figure[], file: string): void {
  const ratios: { what: string; rival: string; ratio: number }[] = []
  for (const what of new Set(figures.map((figure) => figure.what))) {
    const [ours, ...rivals] = figures.filter((figure) => figure.what === what)
    if (ours === undefined) continue
    process.stdout.write(`${what} (${ours.unit}, median of ${ours.rounds}, best in brackets)\n`)
    for (const { of, median, best } of [ours, ...rivals]) {
      process.stdout.write(`  ${of.padEnd(44)}${round(median).padStart(10)}  [${round(best)}]\n`)
    }
    for (const rival of rivals) {
      const ratio = ours.median / rival.median
      ratios.push({ what, rival: rival.of, ratio })
      process.stdout.write(`  ${`ratio to ${rival.of}`.padEnd(44)}${ratio.toFixed(2).padStart(10)}x\n`)
    }
  }
  const load = loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')
  process.stdout.write(`${cpus().length} CPUs (${cpus()[0]?.model ?? ''}), Node ${process.version}, load ${load}\n`)
  saveResults(file, { command: `npm run bench -- ${name}`, at: new Date().toISOString(), figures, ratios })
}

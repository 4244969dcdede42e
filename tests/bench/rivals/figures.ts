import { writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'

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
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

export function toFigure(what: string, of: string, unit: string, values: readonly number[], more: boolean): Figure {
  const best = more ? Math.max(...values) : Math.min(...values)
  return { what, of, unit, median: median(values), best, rounds: values.length }
}

/** The value after a flag of the command line, such as `--json FILE`. */
export function flag(name: string): string | undefined {
  const index = process.argv.indexOf(name)
  return index < 0 ? undefined : process.argv[index + 1]
}

const round = (value: number) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2))

/** Prints the figures, ours against each rival's as a ratio of medians, and keeps them where `--json` says. */
export function report(name: string, figures: readonly Figure[]): void {
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
  const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model ?? '', load: loadavg() }
  const load = machine.load.map((value) => value.toFixed(1)).join(' ')
  process.stdout.write(`${machine.cpus} CPUs (${machine.model}), Node ${machine.node}, load ${load}\n`)
  const file = flag('--json')
  if (file !== undefined) {
    const kept = { name, at: new Date().toISOString(), machine, figures, ratios }
    writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`)
  }
}

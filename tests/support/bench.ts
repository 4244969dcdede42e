import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'

/** `--name value` of a benchmark's command line, by its defaults, and the names of its switches. */
export function readFlags<Flags extends Record<string, string>, Switch extends string = never>(
  defaults: Flags,
  switches: readonly Switch[] = [],
): Record<keyof Flags | 'json', string> & Record<Switch, boolean> {
  const options = Object.fromEntries([
    ...['json', ...Object.keys(defaults)].map((name) => [name, { type: 'string' as const }]),
    ...switches.map((name) => [name, { type: 'boolean' as const, default: false }]),
  ])
  const { values } = parseArgs({ options, strict: true })
  return { json: '', ...defaults, ...values } as unknown as Record<keyof Flags | 'json', string> &
    Record<Switch, boolean>
}

/** The number that a flag was given. @throws RangeError that says what it should be. */
export function readCount(name: string, text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count > 0) return count
  throw new RangeError(`--${name} is '${text}', but it must be a whole number above 0, such as 1000000 or 1e6.`)
}

export const print = (line: string) => void process.stdout.write(`${line}\n`)

/** The value below which this share of the others lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (values: readonly number[]) => quantile(values, 0.5)

const describeMachine = () => ({
  processors: cpus().length,
  model: cpus()[0]?.model,
  load: loadavg().map((load) => Math.round(load * 100) / 100),
  node: process.versions.node,
})

export function printMachine(): void {
  const { processors, model, load, node } = describeMachine()
  print(`${processors} processors (${model}), load ${load.join(' ')}, Node ${node}`)
}

/** Keeps what a run has measured, when a file was named for it. */
export function saveResults(file: string, results: object): void {
  if (file === '') return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify({ machine: describeMachine(), ...results }, null, 2)}\n`)
  print(`kept in ${file}`)
}

/** Resident memory of a process now and at its highest, in bytes; undefined where the platform does not tell. */
export function readMemory(pid: number): { now: number; peak: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8')
    const bytesOf = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(text)?.[1]) * 1024
    const memory = { now: bytesOf('VmRSS'), peak: bytesOf('VmHWM') }
    // One that has just ended has none.
    return Number.isNaN(memory.peak) ? undefined : memory
  } catch {
    return undefined
  }
}

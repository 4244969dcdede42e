/** SARIF logs in the forms that the standard allows, and that scanners are known to write. */

export type Json = Record<string, unknown>
/** Any JSON. */
type Part = ReturnType<typeof JSON.parse>

export interface SarifCase {
  name: string
  log: { runs: Part[] } & Json
  findings: number
}

export const at = (line: number | undefined, uri: string | Json = 'src/quay.ts', region: Json = {}): Part => ({
  physicalLocation: {
    artifactLocation: typeof uri === 'string' ? { uri } : uri,
    ...(line === undefined ? {} : { region: { startLine: line, ...region } }),
  },
})
export const snip = (text: string): Json => ({ snippet: { text } })
export const R = (line: number, more: Json = {}): Part => ({
  ruleId: 'Q1',
  message: { text: 'Look at this.' },
  locations: [at(line)],
  ...more,
})
interface RunParts {
  name?: string
  rules?: Json[]
  driver?: Json
  extensions?: Json[]
  run?: Json
}
export const run = (
  results: unknown[],
  { name = 'Tern', rules = [], driver = {}, extensions, run: more = {} }: RunParts = {},
) => ({
  tool: { driver: { name, rules, ...driver }, ...(extensions === undefined ? {} : { extensions }) },
  results,
  ...more,
})
export const log = (...runs: Part[]) => ({ version: '2.1.0', runs })

export const rule = (id: string, level?: string, more: Json = {}): Json => ({
  id,
  ...(level === undefined ? {} : { defaultConfiguration: { level } }),
  ...more,
})
export const scored = (id: string, score: string): Json =>
  rule(id, undefined, { properties: { 'security-severity': score } })

/** The log after lines were added at the top of every file. */
export function shift<T>(value: T, by: number): T {
  if (Array.isArray(value)) return value.map((item) => shift(item, by)) as T
  if (typeof value !== 'object' || value === null) return value
  const isLine = (name: string, member: unknown) =>
    (name === 'startLine' || name === 'endLine') && typeof member === 'number'
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isLine(name, member) ? (member as number) + by : shift(member, by),
    ]),
  ) as T
}

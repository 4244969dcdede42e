/** Where the outcome of a fault is asserted: the title of a test, or the first text of a row of its table. */
export interface Proof {
  file: string
  tests: readonly string[]
}

export interface SurvivedFault {
  fault: string
  outcome: string
  proofs: readonly Proof[]
}

export const at = (file: string, ...tests: string[]): Proof => ({ file: `tests/${file}.test.ts`, tests })
export const wiki = (file: string, ...tests: string[]) => at(`connectors/wiki/${file}`, ...tests)
export const bi = (file: string, ...tests: string[]) => at(`connectors/bi/${file}`, ...tests)
export const transport = (...tests: string[]) => at('connectors/transport', ...tests)
export const bodies = (...tests: string[]) => at('connectors/transport-bodies', ...tests)
export const clock = (...tests: string[]) => at('connectors/clock', ...tests)
export const bytes = (...tests: string[]) => at('connectors/bytes', ...tests)
export const scans = (file: string, ...tests: string[]) => at(`scans/${file}`, ...tests)

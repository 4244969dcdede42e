import type { FindingStatus } from '../../findings/model.ts'
import type { TextPosition } from './import-row.ts'

/** A run of a scanner in a file. Its lines are read before the next run is. */
export interface ReadRun {
  /** The detector type that the tool has; absent where each line has its own. */
  tool?: string
  /** What the tool calls the scope of its run. */
  id?: string | undefined
  /** When it ended, in milliseconds, and whether it did not succeed or contains no results; asked of complete files. */
  outcome?: () => { endedAt?: number; isIncomplete: boolean }
  lines: Iterable<ReadLine>
}

/** A line of an import. */
export interface ReadLine {
  /** Its number in the file, from 1. */
  line: number
  value: Record<string, unknown>
  /** The file gave no `resolvedAt`: it is the time of reading and does not correct a stored one. */
  undated?: boolean
  position?: TextPosition | undefined
  /** Its status, if `value` does not have it. */
  status?: FindingStatus
  /** Texts of the file that must not be shown. */
  secrets?: readonly string[]
}

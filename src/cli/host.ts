import type { Readable, Writable } from 'node:stream'
import type { Settings } from '../config.ts'
import type { Caller, Progress, WriteContext } from '../operation/context.ts'
import type { Operation } from '../operation/operation.ts'

/** An opened data folder, as commands see it. */
export interface HostApp {
  operations: readonly Operation[]
  caller: Caller
  contextFor(options: { caller: Caller; signal: AbortSignal; progress?: (progress: Progress) => void }): WriteContext
  close(): Promise<void>
}

export type Flags = Partial<Settings> & { home?: string | undefined }

/** What the command line needs of the rest: handed in, so that commands can be run in tests. */
export interface Host {
  version: string
  stdin: Readable
  stdout: Writable & { isTTY?: boolean; columns?: number }
  stderr: Writable & { isTTY?: boolean }
  /** Ends when the person presses Ctrl-C or the process is asked to stop. */
  signal: AbortSignal
  open(flags: Flags): Promise<HostApp>
  /** Every operation that these settings offer; needs no data folder. */
  operations(flags: Flags): Promise<readonly Operation[]>
  /** Where the data folder is, for commands that work on its files. */
  locate(flags: Flags): Location
  /** Serves until `signal`; prints its address first. */
  serve(flags: Flags): Promise<void>
  /** MCP over stdio until the host goes away. */
  mcp(flags: Flags): Promise<void>
  demo(flags: Flags & { once: boolean }): Promise<void>
  doctor(flags: Flags & { deep: boolean }): Promise<Check[]>
  /** Asks the engine and SQL the same random questions. */
  verify(flags: Flags, asked: { questions: number; seed: number }): Promise<Verified>
}

/** What came of comparing the engine with SQL. */
export interface Verified {
  findings: number
  questions: number
  /** Questions that only SQL answers. */
  left: number
  /** Questions with two different answers, as JSON. */
  differences: string[]
}

export interface Location {
  home: string
  /** Where the key may stand. */
  env: Readonly<Record<string, string | undefined>>
  networkFolder: boolean
}

/** One thing that `assay doctor` looked at. */
export interface Check {
  name: string
  status: 'ok' | 'warning' | 'failed'
  detail: string
  /** The command or step that mends it. */
  fix?: string
}

import type { Readable } from 'node:stream'
import type { Settings } from '../config.ts'
import type { Pause } from '../connectors/http/upstream.ts'
import type { Caller, Progress, WriteContext } from '../operation/context.ts'
import type { Operation } from '../operation/operation.ts'
import type { MoveProgress } from '../store/move/target.ts'
import type { ColorSettings, Terminal } from './output/screen.ts'

/** An opened data folder as commands use it. */
export interface HostApp {
  operations: readonly Operation[]
  caller: Caller
  /** The waits that platforms requested from scans of this process, by id of the source. */
  upstream?: { pauseOf(source: string): Pause | undefined }
  contextFor(options: { caller: Caller; signal: AbortSignal; progress?: (progress: Progress) => void }): WriteContext
  close(): Promise<void>
}

export type Flags = Partial<Settings> & { home?: string | undefined }

/** Everything that the command line needs from its environment, injected so that tests can run commands. */
export interface Host extends ColorSettings {
  version: string
  /** How this program is started, if not as `assay`. */
  program?: string | undefined
  /** The data folder that the command line names with `--home`; set before the command runs. */
  home?: string | undefined
  /** Whether the command needs a database that exists; set before it runs. */
  dataMustExist?: boolean
  /** Whether the command upgrades a database on a server; set before it runs. */
  dataMayBeUpgraded?: boolean
  stdin: Readable & { isTTY?: boolean }
  stdout: Terminal
  stderr: Terminal
  /** Aborted by Ctrl-C or a termination signal. */
  signal: AbortSignal
  open(flags: Flags): Promise<HostApp>
  /** All operations available with these settings; needs no data folder. */
  operations(flags: Flags): Promise<readonly Operation[]>
  /** The location of the data folder, for commands that work on its files. */
  locate(flags: Flags): Location
  /** Prints its address, then serves until `signal` is aborted. */
  serve(flags: Flags): Promise<void>
  /** Runs scheduled work until `signal` is aborted. */
  worker(flags: Flags): Promise<void>
  /** Serves MCP over stdio until the host disconnects. */
  mcp(flags: Flags): Promise<void>
  demo(flags: Flags & { once: boolean }): Promise<void>
  doctor(flags: Flags & { deep: boolean; repair: boolean }): Promise<Check[]>
  /** Compares the answers of engine and SQL to the same random questions. */
  verify(flags: Flags, asked: { questions: number; seed: number }): Promise<Verified>
  /** Moves the database, checks whether it can be moved, or undoes an unfinished move. */
  move(flags: Flags, request: MoveRequest, onProgress?: (progress: MoveProgress) => void): Promise<MoveReport>
  /** Opens an address in the browser of the user; false where there is none. */
  browse(url: string): Promise<boolean>
}

/** The result of comparing the engine with SQL. */
export interface Verified {
  findings: number
  questions: number
  /** Questions that only SQL can answer. */
  left: number
  /** Questions with different answers, as JSON. */
  differences: string[]
}

export type MoveRequest = { action: 'move' | 'plan'; to: string } | { action: 'cancel' }

/** The result of moving the database. */
export interface MoveReport {
  state: 'moved' | 'planned' | 'cancelled'
  /** Path or address of the former database. */
  from: string
  /** Address of the new one without the user of a server, and its data folder. */
  to: string
  home: string
  /** What was copied and compared; nothing when only the last step was left. */
  rows: number
  tables: { name: string; rows: number }[]
  /** Number of questions that both answered. */
  questions: number
  /** The key that the new folder needs: the file or the environment variable that has it, and its check value. */
  key: { file?: string; variable?: string; check?: string }
}

export interface Location {
  home: string
  /** The environment variables that may contain the key. */
  env: Readonly<Record<string, string | undefined>>
  networkFolder: boolean
  /** Where a browser finds the server; absent where it listens on a unix socket. */
  address?: string | undefined
}

/** The result of one check by `assay doctor`. */
export interface Check {
  name: string
  status: 'ok' | 'warning' | 'failed'
  detail: string
  /** The command or step that fixes it. */
  fix?: string
}

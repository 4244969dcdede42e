import { escapeTerminalCharacters, maskCredentials } from '../kernel/redaction.ts'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/**
 * Structured log for operators; credentials are masked in each line as it is written, so that a careless caller cannot
 * leak a secret.
 */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}

/** A time in UTC, which has nothing to hide. */
const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const toPlain = (hide: (text: string) => string) => (_key: string, value: unknown) => {
  if (typeof value === 'string') return timeForm.test(value) ? value : hide(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Error) return { name: value.name, message: value.message, stack: value.stack }
  return value
}

export interface LogOptions {
  level: LogLevel
  write: (line: string) => void
  now: () => number
  /** Masks further values (credentials are masked in every line). */
  hide?: (text: string) => string
}

/** Writes one JSON object per line: `{time, level, message, …fields}`; bytes, such as a digest, as hexadecimal digits. */
export function createLog(options: LogOptions): Log {
  const plain = toPlain(options.hide ?? ((text) => text))
  const threshold = logLevels.indexOf(options.level)
  const at =
    (level: Exclude<LogLevel, 'silent'>) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      if (logLevels.indexOf(level) < threshold) return
      const line = JSON.stringify({ time: new Date(options.now()).toISOString(), level, message, ...fields }, plain)
      options.write(`${escapeTerminalCharacters(maskCredentials(line))}\n`)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

export interface DeferredLog extends Log {
  /** Writes the lines still waiting, without `hide` (credentials are masked); for the end of the process. */
  flush(): void
}

/**
 * A log that is opened on its first line, so that the start of a command does not load what the log needs. Lines keep
 * their order and times while it is being opened.
 */
export function deferLog(options: Omit<LogOptions, 'hide'>, open: () => Promise<Log>): DeferredLog {
  const { level: threshold, now } = options
  let log: Log | undefined
  let waiting: ((target: Log) => void)[] = []
  const drain = (target: Log) => {
    const lines = waiting
    waiting = []
    for (const write of lines) write(target)
  }
  const flush = () => drain(createLog(options))
  const at =
    (level: Exclude<LogLevel, 'silent'>) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      if (logLevels.indexOf(level) < logLevels.indexOf(threshold)) return
      if (log !== undefined) return log[level](message, fields)
      const time = new Date(now()).toISOString()
      if (waiting.push((target) => target[level](message, { time, ...fields })) > 1) return
      open().then((opened) => {
        log = opened
        drain(opened)
      }, flush)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), flush }
}

export const silentLog: Log = createLog({ level: 'silent', write: () => {}, now: () => 0 })

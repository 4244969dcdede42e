import { escapeActing, scrub } from './redaction.ts'

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Structured lines for operators; values are scrubbed where they leave, so a careless caller cannot leak. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}

const toPlain = (hide: (text: string) => string) => (_key: string, value: unknown) => {
  if (typeof value === 'string') return hide(value)
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Error) return { name: value.name, message: value.message, stack: value.stack }
  return value
}

export interface LogOptions {
  level: LogLevel
  write: (line: string) => void
  now: () => number
  /** Takes out of a value what nobody may see, beside the credentials that are taken out of each line. */
  hide?: (text: string) => string
}

/** Writes one JSON object a line: `{time, level, message, …fields}`. */
export function createLog(options: LogOptions): Log {
  const plain = toPlain(options.hide ?? ((text) => text))
  const threshold = logLevels.indexOf(options.level)
  const at =
    (level: Exclude<LogLevel, 'silent'>) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      if (logLevels.indexOf(level) < threshold) return
      const line = JSON.stringify({ time: new Date(options.now()).toISOString(), level, message, ...fields }, plain)
      options.write(`${escapeActing(scrub(line))}\n`)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

export const silentLog: Log = createLog({ level: 'silent', write: () => {}, now: () => 0 })

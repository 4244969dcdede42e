import { AppError } from '../kernel/errors.ts'

/**
 * The error for a native driver module that cannot be loaded: install scripts were not run, or it was built for another
 * version of Node. Undefined for any other error.
 */
export function toDriverError(error: unknown): AppError | undefined {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? error.code : undefined
  const absent = error.message.startsWith('Could not locate the bindings file')
  if (!absent && code !== 'ERR_DLOPEN_FAILED') return undefined
  const why = absent ? 'is missing' : 'was built for another version of Node'
  const text = `The native SQLite module ${why}; run \`npm rebuild better-sqlite3 --ignore-scripts=false\` where assay is installed (with -g for a global one), under Node ${process.versions.node}.`
  return new AppError('unavailable', text, { reason: 'native_module', cause: error })
}

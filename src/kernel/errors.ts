import { removeInvisible } from './invisible.ts'
import { showSentence } from './shown.ts'

/** All error codes that a caller can see; each interface (HTTP, MCP, command line) maps every code once. */
export const errorCodes = [
  'invalid_input',
  'unauthorized',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'not_acceptable',
  'conflict',
  'too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal',
  'unavailable',
] as const

export type ErrorCode = (typeof errorCodes)[number]

export interface Issue {
  /** Where in the input, as a dotted path such as `config.optional.scope.spaces.keys[3]`; '' is the whole input. */
  path: string
  message: string
}

export interface Suggestion {
  /** A valid name to use instead. */
  value: string
  /** Kind of the suggested object: metric, term, dimension, dashboard, source, … */
  kind: string
  label?: string
}

/** The caller's own call, corrected; only present when nothing had to be guessed. */
export interface Fix {
  tool: string
  arguments: Record<string, unknown>
}

export interface ErrorFacts {
  reason?: string
  issues?: Issue[]
  suggestions?: Suggestion[]
  fix?: Fix
  /** Facts beyond the message, such as the id of the scan that is already running. */
  facts?: Record<string, unknown>
  retryAfterSeconds?: number
  cause?: unknown
}

/**
 * The only error that interfaces show unchanged. The message is one sentence that states what to do next; it is kept on
 * one line even when it quotes names that others wrote.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly facts: Omit<ErrorFacts, 'cause'>

  constructor(code: ErrorCode, message: string, { cause, ...facts }: ErrorFacts = {}) {
    super(showSentence(removeInvisible(message)), cause === undefined ? undefined : { cause })
    this.name = 'AppError'
    this.code = code
    const { issues, suggestions } = facts
    this.facts = {
      ...facts,
      ...(issues && {
        issues: issues.map((issue) => ({ ...issue, message: showSentence(removeInvisible(issue.message)) })),
      }),
      ...(suggestions && { suggestions: suggestions.map(toVisibleSuggestion) }),
    }
  }
}

function toVisibleSuggestion(suggestion: Suggestion): Suggestion {
  const { label } = suggestion
  return label === undefined ? suggestion : { ...suggestion, label: removeInvisible(label) }
}

/** An AppError as it is passed between threads. */
export interface ErrorReport {
  code: ErrorCode
  message: string
  facts: AppError['facts']
}

export function toErrorReport({ code, message, facts }: AppError): ErrorReport {
  return { code, message, facts: JSON.parse(JSON.stringify(facts)) }
}

export function fromErrorReport({ code, message, facts }: ErrorReport): AppError {
  return new AppError(code, message, facts)
}

export function invalidInput(message: string, facts: ErrorFacts = {}): AppError {
  return new AppError('invalid_input', message, facts)
}

export function notFound(message: string, facts: ErrorFacts = {}): AppError {
  return new AppError('not_found', message, facts)
}

export function conflict(message: string, facts: ErrorFacts = {}): AppError {
  return new AppError('conflict', message, facts)
}

/** Formats the path of an issue: `['a', 'b', 3]` becomes `a.b[3]`. */
export function toPath(segments: readonly PropertyKey[]): string {
  return segments.reduce<string>((path, segment) => {
    if (typeof segment === 'number') return `${path}[${segment}]`
    return path === '' ? String(segment) : `${path}.${String(segment)}`
  }, '')
}

/** The path of an issue in a nested value, as seen from the outer value. */
export function joinPath(path: string, inner: string): string {
  if (path === '' || inner === '') return path + inner
  return inner.startsWith('[') ? `${path}${inner}` : `${path}.${inner}`
}

/** The suffix of a message about the first problem that mentions how many more there are; '' when there are none. */
export function describeMoreProblems(problems: readonly unknown[], place = ', see issues'): string {
  const more = problems.length - 1
  return more < 1 ? '' : ` (and ${more} more ${more === 1 ? 'problem' : 'problems'}${place})`
}

/** Runs a lookup, and adds the path of the input that it is for to its error if that has none. */
export function atPath<Found>(path: string, find: () => Found): Found {
  try {
    return find()
  } catch (error) {
    if (!(error instanceof AppError) || error.facts.issues !== undefined) throw error
    throw new AppError(error.code, error.message, { ...error.facts, issues: [{ path, message: error.message }] })
  }
}

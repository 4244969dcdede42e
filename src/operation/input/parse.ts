import type { z } from 'zod'
import { AppError, describeMoreProblems, type Issue, type Suggestion } from '../../kernel/errors.ts'
import { requireWellFormed } from './input-limits.ts'
import { explainIssues } from './repair.ts'

/**
 * Parses input as a whole; `showKey` masks the name of an unknown member for messages.
 * @throws AppError `invalid_input` with one issue per problem.
 */
export function parseAll<Schema extends z.ZodType>(
  schema: Schema,
  raw: unknown,
  showKey: (key: string) => string,
): z.output<Schema> {
  requireWellFormed(raw)
  const result = schema.safeParse(raw, { reportInput: true })
  if (result.success) return result.data
  const { issues, suggestions } = explainIssues(schema, raw, result.error.issues, showKey)
  throw badInput(issues, suggestions)
}

export function badInput(issues: Issue[], suggestions: Suggestion[] = []): AppError {
  const [first] = issues
  const where = first === undefined || first.path === '' ? '' : ` at ${first.path}`
  const more = describeMoreProblems(issues)
  const message = `The input is not valid${where}: ${first?.message ?? 'unknown problem'}${more}`
  return new AppError('invalid_input', message, { issues, ...(suggestions.length === 0 ? {} : { suggestions }) })
}

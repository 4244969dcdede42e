import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { type Issue, invalidInput } from '../kernel/errors.ts'

/** A member that only Assay sets: accepted in a change if it equals the present value. */
export function readOnly<Schema extends z.ZodType>(schema: Schema): z.ZodOptional<Schema> {
  return schema.meta({ readOnly: true, description: 'Read-only; may be sent back unchanged.' }).optional()
}

/** @throws AppError `invalid_input`, reason `read_only`, naming every given member that differs from the present one */
export function checkReadOnly(given: Record<string, unknown>, present: Record<string, unknown>): void {
  const issues = Object.entries(given).flatMap(([path, value]): Issue[] => {
    if (value === undefined || isDeepStrictEqual(value, present[path])) return []
    return [{ path, message: 'is read-only; leave it out.' }]
  })
  const [first] = issues
  if (first === undefined) return
  throw invalidInput(`${issues.map(({ path }) => path).join(', ')} cannot be changed; leave it out.`, {
    reason: 'read_only',
    issues,
  })
}

import { type AppError, invalidInput } from '../../kernel/errors.ts'

/** More than any operation needs; deeper input could exhaust the stack of recursive code. */
const MAX_DEPTH = 64
/** Maximum members of one list or object. */
const MAX_MEMBERS = 10_000

/**
 * Checks input before any schema does.
 * @throws AppError `invalid_input`, reason `too_deep`, `too_long`, `malformed_text`, `malformed_length` or
 * `prototype_named`, for values that neither schemas nor the store can handle.
 */
export function requireWellFormed(value: unknown): void {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) {
      throw malformed('too_deep', `nests lists and objects more than ${MAX_DEPTH} levels deep; send fewer levels.`)
    }
    const members = level.flatMap((node) => {
      if (typeof node !== 'object' || node === null) return [node]
      const inner = Object.entries(node)
      // Copying such a member would replace the prototype of the copy, with properties that no schema has checked.
      if (Object.hasOwn(node, '__proto__')) {
        throw malformed('prototype_named', 'contains a member named __proto__, which is not allowed; remove it.')
      }
      // Schemas compare the `length` of any value that has one.
      if ('length' in node && typeof node.length === 'object' && node.length !== null) {
        throw malformed('malformed_length', 'has a `length` that is a list or an object; leave it out.')
      }
      if (inner.length <= MAX_MEMBERS) return inner.flat()
      throw malformed('too_long', `has a list or an object of more than ${MAX_MEMBERS} members; send fewer.`)
    })
    if (members.some((member) => typeof member === 'string' && /\p{Surrogate}/u.test(member))) {
      throw malformed('malformed_text', 'contains half of a surrogate pair; send well-formed Unicode text.')
    }
    level = members.filter((member) => typeof member === 'object' && member !== null)
  }
}

function malformed(reason: string, message: string): AppError {
  return invalidInput(`The input ${message}`, { reason, issues: [{ path: '', message }] })
}

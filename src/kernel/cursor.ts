import { invalidInput } from './errors.ts'

/**
 * Where a list goes on: the sort keys of the last item shown, made opaque. `list` names the list it belongs to.
 * A cursor stays good when rows come and go.
 */
export function encodeCursor(list: string, keys: readonly number[]): string {
  return Buffer.from(JSON.stringify([list, ...keys])).toString('base64url')
}

/** @throws AppError `invalid_input` when the text is no cursor of this list. */
export function decodeCursor(list: string, cursor: string, length: number): number[] {
  const [name, ...keys] = readCursor(cursor)
  const isNumber = (key: unknown): key is number => typeof key === 'number' && Number.isFinite(key)
  if (name === list && keys.length === length && keys.every(isNumber)) return keys
  throw invalidInput('The cursor is not one of this list; leave it out to start from the beginning.', {
    issues: [{ path: 'cursor', message: 'must be the nextCursor of the page before.' }],
  })
}

function readCursor(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

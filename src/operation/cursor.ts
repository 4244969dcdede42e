import { createHmac, timingSafeEqual } from 'node:crypto'
import { invalidInput } from '../kernel/errors.ts'
import type { Reader } from '../store/store.ts'
import { principalOf, type ReadContext } from './context.ts'

const TAG_BYTES = 16
const LIFE_MS = 24 * 3_600_000

type CursorContext = Pick<ReadContext, 'caller' | 'now'>

/**
 * Encodes where a list continues: the sort keys of the last item shown, authenticated for this caller and valid for 24
 * hours. `list` names the list. Stays valid when rows are added or removed.
 */
export function encodeCursor(reader: Reader, context: CursorContext, list: string, keys: readonly number[]): string {
  const text = Buffer.from(JSON.stringify([list, context.now() + LIFE_MS, ...keys])).toString('base64url')
  return `${text}.${tagOf(reader, context, text).toString('base64url')}`
}

/**
 * Decodes the keys of a cursor: at least `least` and at most `most` of them.
 * @throws AppError `invalid_input` when the text is not an unexpired cursor of this list for this caller.
 */
export function decodeCursor(
  reader: Reader,
  context: CursorContext,
  list: string,
  cursor: string,
  least: number,
  most = least,
): number[] {
  const [text = '', tag = '', ...rest] = cursor.split('.')
  const given = Buffer.from(tag, 'base64url')
  const wanted = tagOf(reader, context, text)
  if (
    rest.length === 0 &&
    given.toString('base64url') === tag &&
    given.length === TAG_BYTES &&
    timingSafeEqual(given, wanted)
  ) {
    const [name, until, ...keys] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as [string, ...number[]]
    const isOfLength = keys.length >= least && keys.length <= most
    if (name === list && isOfLength && until !== undefined && until > context.now()) return keys
  }
  throw invalidInput(
    'The cursor does not belong to this list with this filter and order; leave it out to start from the beginning.',
    {
      issues: [{ path: 'cursor', message: 'must be the nextCursor of the previous page.' }],
    },
  )
}

function tagOf(reader: Reader, { caller }: CursorContext, text: string): Buffer {
  const row = reader.prepare("SELECT value FROM install WHERE name = 'cursor_key'").get() as { value: string }
  const mac = createHmac('sha256', Buffer.from(row.value, 'hex'))
  return mac
    .update(`${principalOf(caller)}\n${text}`)
    .digest()
    .subarray(0, TAG_BYTES)
}

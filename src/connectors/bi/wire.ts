import { readOutsideInstant } from '../../kernel/instant.ts'
import { isObject } from '../../kernel/json-object.ts'

/**
 * An object of a response. Keys are case-insensitive, because the platform's responses differ in case from its
 * documentation.
 */
export interface Item {
  text(key: string): string | undefined
  /** True where the response contains the member, even if it is empty or null. */
  has(key: string): boolean
  /** True where the response contains the member as a text, even if it is empty. */
  isText(key: string): boolean
  /** True where the response contains the member and it is empty. */
  blank(key: string): boolean
  /** A GUID, in lower case. */
  id(key: string): string | undefined
  flag(key: string): boolean | undefined
  number(key: string): number | undefined
  /** Milliseconds since the epoch; a time without a zone is UTC. */
  instant(key: string): number | undefined
  item(key: string): Item | undefined
  items(key: string): Item[]
  /** Like `items`, but undefined where the member is not a list. */
  list(key: string): Item[] | undefined
  /** All string members, with their names as received. */
  texts(): [string, string][]
}

function toInstant(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined
  const zoned = /T/.test(text) && !/(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) ? `${text}Z` : text
  return readOutsideInstant(zoned)
}

/** Only GUIDs are compared in lower case: a credential in lower case would not be recognized as one. */
const guidLike = /^[\da-f-]+$/i

export function toItem(raw: unknown): Item {
  const source = isObject(raw) ? raw : {}
  const members = new Map(Object.entries(source).map(([key, value]) => [key.toLowerCase(), value]))
  const at = (key: string) => members.get(key.toLowerCase())
  const text = (key: string) => {
    const value = at(key)
    return typeof value === 'string' && value.trim() !== '' ? value : undefined
  }
  return {
    text,
    has: (key) => at(key) !== undefined,
    isText: (key) => typeof at(key) === 'string',
    blank: (key) => {
      const value = at(key)
      return value === null || (typeof value === 'string' && value.trim() === '')
    },
    id: (key) => {
      const id = text(key)?.trim()
      return id !== undefined && guidLike.test(id) ? id.toLowerCase() : id
    },
    flag: (key) => {
      const value = at(key)
      return typeof value === 'boolean' ? value : undefined
    },
    number: (key) => {
      const value = at(key)
      return typeof value === 'number' && Number.isFinite(value) ? value : undefined
    },
    instant: (key) => toInstant(text(key)),
    item: (key) => {
      const value = at(key)
      return isObject(value) ? toItem(value) : undefined
    },
    items: (key) => toItems(at(key)),
    list: (key) => (Array.isArray(at(key)) ? toItems(at(key)) : undefined),
    texts: () =>
      Object.entries(source).flatMap(([key, value]): [string, string][] =>
        typeof value === 'string' && value.trim() !== '' ? [[key, value]] : [],
      ),
  }
}

/** An entry that is no object becomes an item without members, so that its absence is noticed. */
export function toItems(raw: unknown): Item[] {
  return Array.isArray(raw) ? raw.map(toItem) : []
}

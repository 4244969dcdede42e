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

/** Members by their names in lower case are found when one is first asked for: lists hold very many items. */
class WireItem implements Item {
  readonly #source: Record<string, unknown>
  #members: Map<string, unknown> | undefined

  constructor(source: Record<string, unknown>) {
    this.#source = source
  }

  #at(key: string): unknown {
    this.#members ??= new Map(Object.entries(this.#source).map(([name, value]) => [name.toLowerCase(), value]))
    return this.#members.get(key.toLowerCase())
  }

  text(key: string): string | undefined {
    const value = this.#at(key)
    return typeof value === 'string' && value.trim() !== '' ? value : undefined
  }

  has(key: string): boolean {
    return this.#at(key) !== undefined
  }

  isText(key: string): boolean {
    return typeof this.#at(key) === 'string'
  }

  blank(key: string): boolean {
    const value = this.#at(key)
    return value === null || (typeof value === 'string' && value.trim() === '')
  }

  id(key: string): string | undefined {
    const id = this.text(key)?.trim()
    return id !== undefined && guidLike.test(id) ? id.toLowerCase() : id
  }

  flag(key: string): boolean | undefined {
    const value = this.#at(key)
    return typeof value === 'boolean' ? value : undefined
  }

  number(key: string): number | undefined {
    const value = this.#at(key)
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined
  }

  instant(key: string): number | undefined {
    return toInstant(this.text(key))
  }

  item(key: string): Item | undefined {
    const value = this.#at(key)
    return isObject(value) ? toItem(value) : undefined
  }

  items(key: string): Item[] {
    return toItems(this.#at(key))
  }

  list(key: string): Item[] | undefined {
    const value = this.#at(key)
    return Array.isArray(value) ? toItems(value) : undefined
  }

  texts(): [string, string][] {
    return Object.entries(this.#source).flatMap(([key, value]): [string, string][] =>
      typeof value === 'string' && value.trim() !== '' ? [[key, value]] : [],
    )
  }
}

export const toItem = (raw: unknown): Item => new WireItem(isObject(raw) ? raw : {})

/** An entry that is no object becomes an item without members, so that its absence is noticed. */
export function toItems(raw: unknown): Item[] {
  return Array.isArray(raw) ? raw.map(toItem) : []
}

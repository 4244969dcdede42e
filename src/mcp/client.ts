import { isObject } from '../kernel/json-object.ts'
import type { Caller } from '../operation/context.ts'

/** The `client` member of a caller, from the protocol's `clientInfo`; empty if that has no name. */
export function describeClient(info: unknown): Pick<Caller, 'client'> {
  if (!isObject(info) || typeof info.name !== 'string') return {}
  const version = typeof info.version === 'string' ? ` ${info.version}` : ''
  return { client: info.name + version }
}

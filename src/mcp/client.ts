import { isObject } from '../kernel/json-object.ts'
import type { Caller } from '../operation/context.ts'

/** The member of a caller that `clientInfo` of the protocol fills; empty where it says nothing. */
export function describeClient(info: unknown): Pick<Caller, 'client'> {
  if (!isObject(info) || typeof info.name !== 'string') return {}
  const version = typeof info.version === 'string' ? ` ${info.version}` : ''
  return { client: info.name + version }
}

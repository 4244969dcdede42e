/** Identifies a request within a connection. */
export type RequestId = string | number

/** The members allowed in a request. */
export const requestKeys: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params'])

export const hasOnly = (value: object, keys: ReadonlySet<string>): boolean =>
  Object.keys(value).every((key) => keys.has(key))

/** True for an id that the protocol allows. */
export const isRequestId = (id: unknown): id is RequestId => typeof id === 'string' || Number.isSafeInteger(id)

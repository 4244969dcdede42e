/** What tells the requests of a connection apart. */
export type RequestId = string | number

/** The members that a request may have. */
export const requestKeys: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params'])

export const hasOnly = (value: object, keys: ReadonlySet<string>): boolean =>
  Object.keys(value).every((key) => keys.has(key))

/** True for an id as the protocol allows it. */
export const isRequestId = (id: unknown): id is RequestId => typeof id === 'string' || Number.isSafeInteger(id)

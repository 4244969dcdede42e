/**
 * What a transaction writes. Transactions of different scopes do not wait for each other where the database allows
 * several writers; SQLite has one at a time.
 */
export type WriteScope = 'access' | 'imports' | 'loop' | { source: number }

/** The locks of scopes in the order in which all transactions take them. */
export function locksOf(scope: WriteScope | readonly WriteScope[]): string[] {
  const scopes = Array.isArray(scope) ? (scope as readonly WriteScope[]) : [scope as WriteScope]
  return [...new Set(scopes.map((each) => (typeof each === 'string' ? each : `source/${each.source}`)))].sort()
}

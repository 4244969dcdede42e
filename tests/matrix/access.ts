const tokens = 'tests/access/tokens.test.ts'
const scopes = 'tests/catalogue/scopes.test.ts'
const endToEnd = 'tests/e2e/access.test.ts'
const guard = 'tests/http/guard.test.ts'
const listening = 'tests/http/listen.test.ts'
const issuer = 'tests/access/issuer.test.ts'
const hostile = 'tests/access/hostile-issuer.test.ts'
const endedToken = 'tests/e2e/ended-token.test.ts'
const audit = 'tests/audit/audit.test.ts'
const log = 'tests/runtime/log.test.ts'
const planted = 'tests/e2e/planted-secrets.test.ts'
const injection = 'tests/catalogue/injection.test.ts'
const cursor = 'tests/operation/cursor.test.ts'

/** Threats, by their ids, and the tests that hold the controls against them. */
export const rows: Record<string, readonly ({ file: string; test: string } | { bench: string })[]> = {
  T1: [
    { file: planted, test: 'stands in no byte of the data folder, its logs, its exports and a copy of its database' },
  ],
  T4: [
    {
      file: planted,
      test: 'comes back by no route, tool, command, error, metric or log line, and no word of a tenant that refuses does',
    },
  ],
  T5: [
    { file: log, test: 'known secrets' },
    { file: log, test: 'a line' },
  ],
  T6: [
    { file: guard, test: 'hosts and origins' },
    { file: guard, test: 'pages of other sites' },
  ],
  T7: [
    { file: listening, test: 'a unix socket' },
    { file: endToEnd, test: 'an address that others can reach is not served without a token' },
  ],
  T8: [
    { file: tokens, test: 'a token' },
    { file: tokens, test: 'the gatekeeper' },
    {
      file: endToEnd,
      test: 'from the first token on, a running server asks for one, lets its scopes in and no more, until it is revoked',
    },
    {
      file: endedToken,
      test: 'a token that is revoked ends its streams, sessions and uploads at once in every process; one that expires, too',
    },
    { bench: 'guard' },
  ],
  T9: [
    { file: scopes, test: 'every operation with every scope and with none' },
    { file: scopes, test: 'tools/list' },
  ],
  T10: [
    { file: issuer, test: 'forged tokens' },
    { file: issuer, test: 'the keys of the issuer' },
    { file: issuer, test: 'over HTTP' },
    { file: hostile, test: 'beside an issuer whose keys are known and that then' },
    { file: hostile, test: 'beside an issuer that from the start' },
  ],
  T16: [
    {
      file: 'tests/catalogue/unreviewed.test.ts',
      test: 'is marked, linked to nothing and kept between marks in %s %j',
    },
    {
      file: 'tests/catalogue/unreviewed.test.ts',
      test: 'is as any other once a person has saved or certified it, until an assistant writes again',
    },
    { file: 'tests/catalogue/unreviewed.test.ts', test: 'is as long as a person may write at most' },
  ],
  T18: [
    { file: listening, test: 'slow clients' },
    { file: listening, test: 'what is too large' },
    { file: listening, test: 'a body that is broken off' },
    { file: tokens, test: 'limits' },
    { bench: 'guard' },
  ],
  T19: [
    { file: guard, test: 'the address of a client' },
    { file: guard, test: 'that proxies claim count for nothing' },
  ],
  T20: [
    { file: audit, test: 'the audit trail' },
    { file: audit, test: 'the record of access' },
  ],
  T25: [
    { file: injection, test: 'SQL in a text' },
    { file: injection, test: 'was tried more than 500 times' },
  ],
  T26: [{ file: cursor, test: 'a cursor' }],
  T27: [
    {
      file: planted,
      test: 'comes back by no route, tool, command, error, metric or log line, and no word of a tenant that refuses does',
    },
  ],
}

const tokens = 'tests/access/tokens.test.ts'
const scopes = 'tests/catalogue/scopes.test.ts'
const endToEnd = 'tests/e2e/access.test.ts'

/** Threats, by their ids, and the tests that hold the controls against them. */
export const rows: Record<string, readonly { file: string; test: string }[]> = {
  T8: [
    { file: tokens, test: 'a token' },
    { file: tokens, test: 'the gatekeeper' },
    {
      file: endToEnd,
      test: 'from the first token on, a running server asks for one, lets its scopes in and no more, until it is revoked',
    },
  ],
  T9: [
    { file: scopes, test: 'every operation with every scope and with none' },
    { file: scopes, test: 'tools/list' },
  ],
}

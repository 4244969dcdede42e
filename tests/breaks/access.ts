import type { Break } from './break.ts'
import { replaceAll, replaceCall, replaceCondition, replaceOperand, replaceProperty } from './break.ts'

const tokens = 'src/access/tokens.ts'
const tokensTest = 'tests/access/tokens.test.ts'
const issuer = 'src/access/issuer.ts'
const issuerTest = 'tests/access/issuer.test.ts'
const scopesTest = 'tests/catalogue/scopes.test.ts'
const guard = 'src/http/guard.ts'
const guardTest = 'tests/http/guard.test.ts'
const consent = 'src/mcp/tools/consent.ts'

/** Rules whose loss would let in or allow somebody who may not. */
export const accessBreaks: readonly Break[] = [
  {
    id: 'token-secret-not-compared',
    rule: 'A token with a known id and another secret is refused.',
    edits: [replaceAll([tokens, 'findHolder.same'], 'true')],
    test: { file: tokensTest, title: 'is refused with a valid checksum but another secret' },
  },
  {
    id: 'token-kept-plain',
    rule: 'Only the hash of a token is stored.',
    edits: [replaceAll(['src/access/token.ts', 'digestOf'], 'Buffer.from(text)')],
    test: { file: tokensTest, title: 'is stored as a hash only' },
  },
  {
    id: 'token-revoked-in-vain',
    rule: 'A revoked token is refused.',
    edits: [replaceCondition([tokens, 'toToken.status'], 'revokedAt', 'false')],
    test: { file: tokensTest, title: 'is revoked immediately' },
  },
  {
    id: 'open-again-after-last-token',
    rule: 'Once a token was made one is required, even when all have ended.',
    edits: [
      replaceAll(
        ['src/access/tokens.store.ts', 'hasTokens'],
        "reader.prepare('SELECT 1 FROM access_token WHERE revoked_at IS NULL LIMIT 1').get() !== undefined",
      ),
    ],
    test: { file: tokensTest, title: 'requires a token once one exists' },
  },
  {
    id: 'reachable-address-open',
    rule: 'An address that other machines can reach is not served while there is no token.',
    edits: [replaceAll(['src/commands/serve.ts', 'startServer.isReached'], 'false')],
    test: { file: 'tests/e2e/access.test.ts', title: 'is not served without a token' },
    built: true,
  },
  {
    id: 'scope-not-required',
    rule: 'An operation runs only for a caller with its scope.',
    edits: [replaceCall(['src/operation/operation.ts', 'admit'], 'requireScope', 'undefined')],
    test: { file: scopesTest, title: 'every operation' },
  },
  {
    id: 'triage-scope-lowered',
    rule: 'A caller who may only read changes no finding.',
    edits: [replaceProperty(['src/findings/triage-operations.ts', 'update_finding'], 'scope', "'read'")],
    test: { file: scopesTest, title: 'each operation requires' },
  },
  {
    id: 'read-only-writes',
    rule: 'A read-only installation offers no operation that writes.',
    edits: [replaceCondition(['src/catalogue.ts', 'listOfferedOperations'], 'readOnly', 'false')],
    test: { file: 'tests/e2e/access.test.ts', title: 'a read-only server' },
    built: true,
  },
  {
    id: 'consent-not-asked',
    rule: 'An assistant certifies only with the scope or after a person has agreed.',
    edits: [replaceCondition([consent, 'withConsent'], 'consent none', 'true')],
    test: { file: 'tests/mcp/surface.test.ts' },
  },
  {
    id: 'consent-for-another-call',
    rule: 'Consent is given for the call that was shown, and no other.',
    edits: [replaceOperand([consent, 'withConsent'], 'isSame', 'true')],
    test: { file: 'tests/mcp/surface.test.ts' },
  },
  {
    id: 'session-of-another',
    rule: 'A session cannot be used by another caller.',
    edits: [replaceAll(['src/mcp/http/sessions.ts', 'isSameOwner'], 'true')],
    test: { file: 'tests/mcp/http.test.ts', title: 'cannot be used by another caller' },
  },
  {
    id: 'cursor-not-signed',
    rule: 'A cursor that was changed is refused.',
    edits: [replaceOperand(['src/operation/cursor.ts', 'decodeCursor'], 'timingSafeEqual', 'true')],
    test: { file: 'tests/operation/cursor.test.ts' },
  },
  {
    id: 'issuer-not-checked',
    rule: 'A token of another identity provider is refused.',
    edits: [
      replaceOperand([issuer, 'findHeader'], 'decodeJwt', 'true'),
      replaceProperty([issuer, 'createIssuer.checks'], 'issuer', 'undefined'),
    ],
    test: { file: issuerTest, title: 'forged tokens' },
  },
  {
    id: 'audience-not-checked',
    rule: 'A token for another service is refused.',
    edits: [replaceProperty([issuer, 'createIssuer.checks'], 'audience', 'undefined')],
    test: { file: issuerTest, title: 'forged tokens' },
  },
  {
    id: 'key-of-the-token',
    rule: 'A token that names or brings its own key is refused.',
    edits: [replaceOperand([issuer, 'findHeader'], 'keyHeaders', 'true')],
    test: { file: issuerTest, title: 'forged tokens' },
  },
  {
    id: 'host-not-checked',
    rule: 'A request with a foreign Host header is refused.',
    edits: [replaceCondition([guard, 'guard'], 'host parse url', 'false')],
    test: { file: guardTest, title: 'hosts and origins' },
  },
  {
    id: 'origin-not-checked',
    rule: 'A request from a page of another site is refused.',
    edits: [replaceCondition([guard, 'guard'], 'isOwn', 'false')],
    test: { file: guardTest, title: 'hosts and origins' },
  },
]

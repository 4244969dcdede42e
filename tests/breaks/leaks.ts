import type { Break } from './break.ts'
import { replaceAll, replaceCall, replaceCondition, replaceProperty } from './break.ts'

const excerpt = 'src/detectors/excerpt.ts'
const redactionTest = 'tests/detectors/redaction.test.ts'
const envelope = 'src/store/keys/envelope.ts'
const tamperTest = 'tests/audit/tamper.test.ts'
const exchange = 'src/connectors/http/exchange.ts'
const transport = 'src/connectors/http/transport.ts'
const bodiesTest = 'tests/connectors/transport-bodies.test.ts'
const guard = 'src/connectors/links/guard.ts'
const guardTest = 'tests/connectors/links/guard.test.ts'
const operation = 'src/operation/operation.ts'

/** Rules whose loss would show or send a secret, or text of a tenant. */
export const leakBreaks: readonly Break[] = [
  {
    id: 'excerpt-shows-match',
    rule: 'An excerpt does not show what was found.',
    edits: [replaceCall([excerpt, 'toExcerpt'], 'shownOf', 'text.slice(range.start, range.end)')],
    test: { file: redactionTest },
  },
  {
    id: 'asset-name-not-masked',
    rule: 'An asset name is stored without the credentials in it.',
    edits: [replaceProperty(['src/connectors/safe-session.ts', 'toSafeAsset'], 'name', 'draft.name')],
    test: { file: 'tests/scans/redaction.test.ts' },
  },
  {
    id: 'import-excerpt-not-masked',
    rule: 'The excerpt of an imported finding is masked like one of a scan.',
    edits: [replaceCall(['src/imports/stage/staging.ts', 'Staging.#maskExcerpts'], 'redactTexts', '$1')],
    test: { file: 'tests/imports/import.test.ts', title: 'has its excerpt masked' },
  },
  {
    id: 'log-not-scrubbed',
    rule: 'No log line holds a credential.',
    edits: [replaceCall(['src/runtime/log.ts', 'createLog'], 'maskCredentials', '$1')],
    test: { file: 'tests/runtime/log.test.ts' },
  },
  {
    id: 'opened-secret-not-remembered',
    rule: 'A credential in use is masked in everything that is written.',
    edits: [replaceCall(['src/store/keys/vault-file.ts', 'openVault.open'], 'rememberSecret', 'undefined')],
    test: { file: 'tests/store/remembered.test.ts' },
  },
  {
    id: 'error-cause-shown',
    rule: 'An unexpected error tells the client nothing but an id.',
    edits: [
      replaceCall(
        ['src/http/problem.ts', 'toKnown'],
        'AppError internal',
        "new AppError('internal', String(error), $3)",
      ),
    ],
    test: { file: 'tests/http/http.test.ts', title: 'shows only an id for an unexpected error' },
  },
  {
    id: 'lockdown-ignored',
    rule: 'Under lockdown answers hold only counts, ids and codes.',
    edits: [replaceCondition([operation, 'createPresenter'], 'isLockedDown', 'true')],
    test: { file: 'tests/catalogue/lockdown.test.ts' },
  },
  {
    id: 'tenant-text-not-quoted',
    rule: 'Text of a tenant reaches an assistant between marks that say so.',
    edits: [replaceCall(['src/mcp/tools/answer.ts', 'toAnswer'], 'wrapUntrusted tenant', '$1')],
    test: { file: 'tests/catalogue/injected.test.ts' },
  },
  {
    id: 'sealed-tag-not-checked',
    rule: 'A sealed secret that was changed does not open.',
    edits: [replaceCall([envelope, 'unsealWith'], 'final', 'Buffer.alloc(0)')],
    test: { file: tamperTest, title: 'is never decrypted' },
  },
  {
    id: 'nonce-reused',
    rule: 'Every sealing uses a nonce of its own.',
    edits: [replaceCall([envelope, 'sealWith'], 'randomBytes', 'Buffer.alloc($1)')],
    test: { file: 'tests/store/vault-file.test.ts', title: 'never encrypts the same text to the same bytes' },
  },
  {
    id: 'fingerprint-without-key',
    rule: 'Fingerprints of found values are keyed.',
    edits: [replaceAll(['src/detectors/fingerprint.ts', 'ByteNumberer.block'], 'new Uint8Array(0)')],
    test: { file: 'tests/detectors/fingerprint.test.ts' },
  },
  {
    id: 'credential-follows-address',
    rule: 'A stored credential is not sent to an address that it was not entered for.',
    edits: [replaceCall(['src/sources/secrets.ts', 'complete'], 'requireSameOrigins', 'undefined')],
    test: { file: 'tests/sources/repoint.test.ts', title: 'is refused in any spelling' },
  },
  {
    id: 'redirect-followed-with-credential',
    rule: 'A redirect of a call with a credential is not followed.',
    edits: [replaceProperty([exchange, 'exchange'], 'followRedirect', 'true')],
    test: { file: 'tests/connectors/transport.test.ts', title: 'follows no redirect of a JSON call' },
  },
  {
    id: 'download-redirect-with-credential',
    rule: 'The redirect of a download is followed without the credential.',
    edits: [
      replaceCall(
        [transport, 'download'],
        'fetchBytes target',
        'fetchBytes(target, authorization === undefined ? {} : { authorization })',
      ),
    ],
    test: { file: bodiesTest, title: 'downloads' },
  },
  {
    id: 'path-leaves-origin',
    rule: 'The path of a request cannot lead away from the address of its source.',
    edits: [replaceCondition([transport, 'toUrl'], 'origin basePath', 'false')],
    test: { file: bodiesTest, title: 'are not sent to the path' },
  },
  {
    id: 'certificate-not-checked',
    rule: 'A server whose certificate does not prove its name gets no request.',
    edits: [replaceProperty([exchange, 'exchange'], 'decompress', 'true, https: { rejectUnauthorized: false }')],
    test: { file: 'tests/connectors/certificate.test.ts' },
  },
  {
    id: 'private-address-asked',
    rule: 'Links to private addresses (10.0.0.1, 169.254.169.254 and their like) are not requested.',
    edits: [replaceCondition(['src/connectors/links/address.ts', 'isPublicAddress'], 'range unicast', 'false')],
    test: { file: guardTest, title: 'is not public' },
  },
  {
    id: 'private-address-behind-name',
    rule: 'A name with one private address among its answers is not requested.',
    edits: [
      replaceCondition([guard, 'toLookup'], 'passes', 'false'),
      replaceCondition([guard, 'watch'], 'isPublicAddress', 'false'),
      replaceAll(
        [guard, 'createGuard.publicAgents'],
        '{ http: new HttpAgent(checked), https: new HttpsAgent(checked) }',
      ),
    ],
    test: { file: guardTest, title: 'to a name whose address is' },
  },
]

import type { Break } from './break.ts'

const envelope = 'src/store/keys/envelope.ts'
const keyFile = 'src/store/keys/key-file.ts'
const rotation = 'src/store/keys/key-rotation.ts'
const vaultFile = 'src/store/keys/vault-file.ts'
const tamperTest = 'tests/audit/tamper.test.ts'
const vaultTest = 'tests/store/vault-file.test.ts'

/** The encryption of credentials and the key to it, the chain of the audit trail, the digests of definitions. */
export const keyBreaks: readonly Break[] = [
  {
    id: 'place-not-authenticated',
    rule: 'A sealed text opens only for the source and member that it was sealed for.',
    file: envelope,
    find: '{ authTagLength: TAG_BYTES }).setAAD(Buffer.from(place))',
    put: '{ authTagLength: TAG_BYTES })',
    also: [
      {
        file: envelope,
        find: 'decipher.setAAD(Buffer.from(place)).setAuthTag(tagBytes)',
        put: 'decipher.setAuthTag(tagBytes)',
      },
    ],
    test: { file: tamperTest, title: 'is never opened' },
  },
  {
    id: 'tag-not-checked',
    rule: 'A sealed text that was changed does not open.',
    file: envelope,
    find: 'return Buffer.concat([decipher.update(textBytes), decipher.final()])',
    put: 'return decipher.update(textBytes)',
    test: { file: tamperTest, title: 'is never opened' },
  },
  {
    id: 'tag-cut-short',
    rule: 'Only a tag of full length counts.',
    file: envelope,
    find: '|| tagBytes?.length !== TAG_BYTES) throw unreadable()',
    put: '|| tagBytes === undefined) throw unreadable()',
    also: [
      {
        file: envelope,
        find: "createDecipheriv('aes-256-gcm', key, ivBytes, { authTagLength: TAG_BYTES })",
        put: "createDecipheriv('aes-256-gcm', key, ivBytes)",
      },
    ],
    test: { file: tamperTest, title: 'is never opened' },
  },
  {
    id: 'sealed-text-not-unique',
    rule: 'A sealed text has one spelling.',
    file: envelope,
    find: "const isPlain = parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)",
    put: 'const isPlain = parts.length === 3',
    test: { file: tamperTest, title: 'is never opened' },
  },
  {
    id: 'nonce-reused',
    rule: 'Nothing is sealed twice with one nonce.',
    file: envelope,
    find: 'const iv = randomBytes(IV_BYTES)',
    put: 'const iv = Buffer.alloc(IV_BYTES)',
    test: { file: vaultTest, title: 'never seals the same text alike' },
  },
  {
    id: 'key-not-checked',
    rule: 'Another key than the one that sealed is told as such at the start.',
    file: vaultFile,
    find: 'if (check !== install.check) {',
    put: "if (check === '') {",
    test: { file: vaultTest, title: 'is refused when it is another one' },
  },
  {
    id: 'key-made-anew',
    rule: 'No key is made while something sealed with another one is there.',
    file: vaultFile,
    find: 'if (sealed !== undefined) throw keyMissing()',
    put: '',
    test: { file: vaultTest, title: 'is not made anew while sealed rows exist' },
  },
  {
    id: 'key-exposed',
    rule: 'A key file that others can read is refused.',
    file: keyFile,
    find: "if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {",
    put: "if (process.platform === 'win32' && (statSync(file).mode & 0o077) !== 0) {",
    test: { file: vaultTest, title: 'is refused when others can read its file' },
  },
  {
    id: 'key-mode',
    rule: 'Only its owner can read the key file.',
    file: keyFile,
    find: "openSync(draft, 'wx', 0o600)",
    put: "openSync(draft, 'wx', 0o644)",
    test: { file: vaultTest, title: 'is a file that only its owner can read' },
  },
  {
    id: 'key-overwritten',
    rule: 'A key never takes the place of another one.',
    file: keyFile,
    find: '    linkSync(draft, file)\n    unlinkSync(draft)',
    put: '    renameSync(draft, file)',
    test: { file: 'tests/store/no-links.test.ts' },
  },
  {
    id: 'rotation-too-early',
    rule: 'The new key takes its place only once the database is sealed with it.',
    file: rotation,
    find: 'if (checkOf(next) !== install.check) return undefined',
    put: '',
    test: { file: tamperTest, title: 'that has not reached the database' },
  },
  {
    id: 'rotation-leaves-secrets',
    rule: 'A change of the key seals every secret anew.',
    file: rotation,
    find: 'counts.resealed += 1\n        return [member, again]',
    put: 'counts.resealed += 1\n        return [member, sealed]',
    test: { file: tamperTest, title: 'seals every secret anew' },
  },
  {
    id: 'key-in-environment',
    rule: 'The key is taken out of the environment of the process.',
    file: 'src/main.ts',
    find: 'delete process.env.ASSAY_KEY\n',
    put: '',
    test: { file: 'tests/e2e/rejection.test.ts', title: 'the key of the environment' },
    built: true,
  },
  {
    id: 'fingerprint-without-key',
    rule: 'Fingerprints of what was found are keyed.',
    file: 'src/detectors/fingerprint.ts',
    find: "createHash('sha256').update(key).digest() : key",
    put: "createHash('sha256').update(key).digest() : new Uint8Array(0)",
    test: { file: 'tests/detectors/fingerprint.test.ts' },
  },
  {
    id: 'audit-not-chained',
    rule: 'Each entry of the audit trail is hashed together with the one before.',
    file: 'src/audit/audit-chain.store.ts',
    find: '.update(`${before}\\n${JSON.stringify(content)}`)',
    put: ".update(JSON.stringify(before === '' ? content : content))",
    test: { file: 'tests/audit/audit.test.ts', title: 'the audit trail' },
  },
  {
    id: 'audit-member-left-out',
    rule: 'The chain covers who did it.',
    file: 'src/audit/audit-chain.store.ts',
    find: '    row.at,\n    row.actor,\n    row.via,',
    put: '    row.at,\n    row.via,',
    test: { file: 'tests/audit/audit.test.ts', title: 'shows an edit of any member' },
  },
  {
    id: 'definition-not-sealed',
    rule: 'A definition that was changed behind our back is found.',
    file: 'src/store/digests.store.ts',
    find: '...sealed.filter(({ digest, ...named }) => toDigest(reader, named) !== digest),',
    put: '',
    test: { file: 'tests/store/rot.test.ts', title: 'is found by the deep look' },
  },
]

import { createHash } from 'node:crypto'
import type { createRandom } from '../../src/sample/ids.ts'

type Random = ReturnType<typeof createRandom>

/** A secret or a problem in code, as a scanner finds it. */
export interface Leak {
  rule: string
  file: string
  line: number
  column: number
  secret: string
  commit: string
  isSure: boolean
  /** Someone has marked it in the code, or in the file of the tool. */
  isAccepted: boolean
}

const rules = ['aws-access-token', 'generic-api-key', 'private-key', 'slack-webhook-url']
const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
const word = (random: Random, length: number) => Array.from({ length }, () => pick(random, [...letters])).join('')

export function makeLeaks(random: Random, count: number): Leak[] {
  return Array.from({ length: count }, (_, index) => ({
    rule: pick(random, rules),
    file: pick(random, ['src/app.ts', 'config/prod.env', 'docs/größe.md', `src/part ${index % 5}.py`]),
    line: index + 1,
    column: 1 + Math.floor(random() * 80),
    secret: word(random, 24),
    commit: random() < 0.5 ? '' : word(random, 12).toLowerCase(),
    isSure: random() < 0.3,
    isAccepted: random() < 0.2,
  }))
}

/** How versions of a tool write a leak, and what a finding of it must be. */
export interface Writer {
  format: string
  version: string
  write: (leaks: readonly Leak[], random: Random) => string
  expect: (leak: Leak) => { detectorType: string; findingType: string; severity: string; status: string; asset: string }
}

const open = { status: 'OPEN' }
const indentOf = (random: Random) => pick(random, [undefined, 1, 2, '\t'])
const inLines = (leaks: readonly Leak[], random: Random, toItem: (leak: Leak) => object) =>
  leaks.map((leak) => `${JSON.stringify(toItem(leak))}${random() < 0.1 ? '\r' : ''}\n`).join('')
const sha1 = (text: string) => createHash('sha1').update(text).digest('hex')

export const toGitleaks8 = (leak: Leak) => ({
  RuleID: leak.rule,
  Description: `Found a ${leak.rule}`,
  ...{ StartLine: leak.line, EndLine: leak.line, StartColumn: leak.column, EndColumn: leak.column + 24 },
  ...{ Match: `key = "${leak.secret}"`, Secret: leak.secret, File: leak.file, SymlinkFile: '', Commit: leak.commit },
  ...(leak.commit === ''
    ? { Author: '', Email: '', Date: '', Message: '' }
    : { Author: 'Ada', Email: 'ada@example.com', Date: '2025-01-02T03:04:05Z', Message: `Add ${leak.secret}` }),
  ...{ Entropy: 3.5, Tags: [], Fingerprint: `${leak.file}:${leak.rule}:${leak.line}` },
})
const gitleaks = (leak: Leak) => ({
  ...{ detectorType: 'GITLEAKS', findingType: leak.rule, severity: 'MEDIUM', asset: leak.file },
  ...open,
})
const trufflehog = (leak: Leak) => ({
  ...{ detectorType: 'TRUFFLEHOG', findingType: leak.rule, severity: 'MEDIUM', asset: leak.file },
  ...open,
})

export const toSemgrep = (leak: Leak) => ({
  check_id: leak.rule,
  path: leak.file,
  start: { line: leak.line, col: leak.column, offset: 10 },
  end: { line: leak.line, col: leak.column + 5, offset: 15 },
  extra: {
    ...{ message: `Do not ${leak.rule}`, severity: leak.isSure ? 'ERROR' : 'WARNING', metadata: { cwe: ['CWE-1'] } },
    ...{ lines: `call("${leak.secret}")`, fingerprint: sha1(leak.secret), is_ignored: leak.isAccepted },
  },
})

export const writers: readonly Writer[] = [
  {
    ...{ format: 'gitleaks', version: '8' },
    write: (leaks, random) => JSON.stringify(leaks.map(toGitleaks8), undefined, indentOf(random)),
    expect: gitleaks,
  },
  {
    ...{ format: 'gitleaks', version: '7' },
    write: (leaks, random) =>
      JSON.stringify(
        leaks.map((leak) => ({
          ...{ line: `key = "${leak.secret}"`, lineNumber: leak.line, offender: leak.secret, offenderEntropy: -1 },
          ...{ commit: leak.commit, repo: 'shop', repoURL: '', leakURL: '', rule: leak.rule, commitMessage: 'Add' },
          ...{ author: 'Ada', email: '', file: leak.file, date: '2021-01-02T03:04:05Z', tags: 'key' },
        })),
        undefined,
        indentOf(random),
      ),
    expect: gitleaks,
  },
  {
    ...{ format: 'trufflehog', version: '3' },
    write: (leaks, random) =>
      `${random() < 0.5 ? '' : '{"level":"info-0","ts":"2025-01-01T00:00:00Z","logger":"trufflehog","msg":"running source"}\n'}${inLines(
        leaks,
        random,
        (leak) => ({
          SourceMetadata: {
            Data: leak.isAccepted
              ? {
                  Git: {
                    commit: leak.commit,
                    file: leak.file,
                    repository: 'https://me:pw@git.example/shop.git',
                    line: leak.line,
                  },
                }
              : { Filesystem: { file: leak.file, line: leak.line } },
          },
          ...{ SourceID: 1, SourceType: 16, SourceName: 'trufflehog - git', DetectorType: 17, DetectorName: leak.rule },
          ...{
            DecoderName: 'PLAIN',
            Verified: leak.isSure,
            Raw: leak.secret,
            RawV2: '',
            Redacted: '',
            ExtraData: null,
          },
        }),
      )}`,
    expect: (leak) => ({
      ...trufflehog(leak),
      severity: leak.isSure ? 'HIGH' : 'MEDIUM',
      asset: leak.isAccepted ? `https://git.example/shop/${leak.file}` : leak.file,
    }),
  },
  {
    ...{ format: 'trufflehog', version: '2' },
    write: (leaks, random) =>
      inLines(leaks, random, (leak) => ({
        ...{ branch: 'main', commit: 'Add', commitHash: leak.commit, date: '2021-01-02 03:04:05' },
        ...{ diff: `+${leak.secret}`, printDiff: leak.secret, path: leak.file, reason: leak.rule },
        stringsFound: [leak.secret],
      })),
    expect: trufflehog,
  },
  {
    ...{ format: 'semgrep', version: '1' },
    write: (leaks, random) =>
      JSON.stringify(
        {
          ...{ version: '1.90.0', errors: [], paths: { scanned: ['a'] }, engine_requested: 'OSS', skipped_rules: [] },
          results: leaks.map(toSemgrep),
        },
        undefined,
        indentOf(random),
      ),
    expect: (leak) => ({
      ...{ detectorType: 'SEMGREP_OSS', findingType: leak.rule, severity: leak.isSure ? 'HIGH' : 'MEDIUM' },
      ...{ asset: leak.file, status: leak.isAccepted ? 'IGNORED' : 'OPEN' },
    }),
  },
  {
    ...{ format: 'semgrep', version: '0' },
    write: (leaks, random) =>
      JSON.stringify({ errors: [], results: leaks.map(toSemgrep), version: '0.100.0' }, undefined, indentOf(random)),
    expect: (leak) => ({
      ...{ detectorType: 'SEMGREP', findingType: leak.rule, severity: leak.isSure ? 'HIGH' : 'MEDIUM' },
      ...{ asset: leak.file, status: leak.isAccepted ? 'IGNORED' : 'OPEN' },
    }),
  },
  ...['1', '0'].map((version) => ({
    ...{ format: 'detect-secrets', version },
    write: (leaks: readonly Leak[], random: Random) => {
      const results = Object.entries(Object.groupBy(leaks, ({ file }) => file)).map(([file, found = []]) => [
        file,
        found.map((leak) => ({
          ...{ type: leak.rule, hashed_secret: sha1(leak.secret), is_verified: leak.isSure, line_number: leak.line },
          ...(version === '1' ? { filename: file } : {}),
          ...(leak.isAccepted ? { is_secret: false } : {}),
        })),
      ])
      const settings =
        version === '1'
          ? { version: '1.5.0', plugins_used: [{ name: 'AWSKeyDetector' }], filters_used: [{ path: 'a.b' }] }
          : { version: '0.14.3', custom_plugin_paths: [], exclude: { files: null, lines: null }, plugins_used: [] }
      const whole = { ...settings, results: Object.fromEntries(results), generated_at: '2025-02-03T04:05:06Z' }
      return JSON.stringify(whole, undefined, indentOf(random))
    },
    expect: (leak: Leak) => ({
      ...{ detectorType: 'DETECT_SECRETS', findingType: leak.rule, severity: leak.isSure ? 'HIGH' : 'MEDIUM' },
      ...{ asset: leak.file, status: leak.isAccepted ? 'FALSE_POSITIVE' : 'OPEN' },
    }),
  })),
]

/** What gitleaks 8 and Semgrep 1 write as SARIF of the same run. */
export const toSarif: Record<string, (leaks: readonly Leak[]) => string> = {
  gitleaks: (leaks) =>
    toLog(
      'gitleaks',
      leaks.map((leak) => {
        const { Commit, Author, Email, Date: date, Message } = toGitleaks8(leak)
        const where = Commit === '' ? '' : ` at commit ${Commit}`
        return {
          message: { text: `${leak.rule} has detected secret for file ${leak.file}${where}.` },
          ruleId: leak.rule,
          locations: [toLocation(leak, leak.secret)],
          partialFingerprints: { commitSha: Commit, email: Email, author: Author, date, commitMessage: Message },
          properties: { tags: [] },
        }
      }),
    ),
  semgrep: (leaks) =>
    toLog(
      'Semgrep OSS',
      leaks.map(toSemgrep).map(({ check_id, extra, path, start }) => ({
        ...{ ruleId: check_id, message: { text: extra.message }, level: extra.severity.toLowerCase() },
        locations: [toLocation({ file: path, line: start.line, column: start.col }, extra.lines)],
        fingerprints: { 'matchBasedId/v1': extra.fingerprint },
        ...(extra.is_ignored ? { suppressions: [{ kind: 'inSource' }] } : {}),
      })),
    ),
}

const toLocation = ({ file, line, column }: Pick<Leak, 'file' | 'line' | 'column'>, text: string) => ({
  physicalLocation: {
    artifactLocation: { uri: file },
    region: { startLine: line, endLine: line, startColumn: column, endColumn: column + 24, snippet: { text } },
  },
})

const toLog = (name: string, results: readonly object[]) =>
  JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name } }, results }] })

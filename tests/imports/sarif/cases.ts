/** SARIF logs in the forms that the standard allows, and that scanners are known to write. */

type Json = Record<string, unknown>
/** Any JSON. */
type Part = ReturnType<typeof JSON.parse>

export interface SarifCase {
  name: string
  log: { runs: Part[] } & Json
  findings: number
}

const at = (line: number | undefined, uri: string | Json = 'src/quay.ts', region: Json = {}): Part => ({
  physicalLocation: {
    artifactLocation: typeof uri === 'string' ? { uri } : uri,
    ...(line === undefined ? {} : { region: { startLine: line, ...region } }),
  },
})
const snip = (text: string): Json => ({ snippet: { text } })
const R = (line: number, more: Json = {}): Part => ({
  ruleId: 'Q1',
  message: { text: 'Look at this.' },
  locations: [at(line)],
  ...more,
})
interface RunParts {
  name?: string
  rules?: Json[]
  driver?: Json
  extensions?: Json[]
  run?: Json
}
const run = (
  results: unknown[],
  { name = 'Tern', rules = [], driver = {}, extensions, run: more = {} }: RunParts = {},
) => ({
  tool: { driver: { name, rules, ...driver }, ...(extensions === undefined ? {} : { extensions }) },
  results,
  ...more,
})
const log = (...runs: Part[]) => ({ version: '2.1.0', runs })

const rule = (id: string, level?: string, more: Json = {}): Json => ({
  id,
  ...(level === undefined ? {} : { defaultConfiguration: { level } }),
  ...more,
})
const scored = (id: string, score: string): Json => rule(id, undefined, { properties: { 'security-severity': score } })

const identity: SarifCase[] = [
  {
    name: 'a placeholder for a fingerprint (Semgrep without login)',
    log: log(
      run(
        [10, 44, 71].map((line, turn) =>
          R(line, {
            ruleId: turn === 2 ? 'lang.eval' : 'lang.exec',
            fingerprints: { 'matchBasedId/v1': 'requires login' },
            properties: {},
            locations: [at(line, { uri: 'app/run.py', uriBaseId: '%SRCROOT%' }, snip('requires login'))],
          }),
        ),
        { name: 'Semgrep OSS', rules: [rule('lang.exec', 'error'), rule('lang.eval', 'warning')] },
      ),
    ),
    findings: 3,
  },
  {
    name: 'empty fingerprints',
    log: log(
      run([R(1, { fingerprints: { stable: '' } }), R(9, { partialFingerprints: { a: ' ' }, message: { text: 'B' } })]),
    ),
    findings: 2,
  },
  {
    name: 'one value for results that have nothing in common',
    log: log(
      run([
        R(3, { fingerprints: { id: '0' }, locations: [at(3, 'a.ts', snip('one'))] }),
        R(3, { ruleId: 'Q2', fingerprints: { id: '0' }, locations: [at(3, 'b.ts', snip('two'))] }),
        R(8, { fingerprints: { id: '0' }, locations: [at(8, 'a.ts', snip('three'))] }),
      ]),
    ),
    findings: 3,
  },
  {
    name: 'context hashes of equal lines',
    log: log(run([5, 25, 45, 65].map((line) => R(line, { partialFingerprints: { 'contextHash/v1': '77aa' } })))),
    findings: 4,
  },
  {
    name: 'equal lines without fingerprints',
    log: log(run([7, 8, 9].map((line) => R(line, { locations: [at(line, 'x.c', snip('gets(s);'))] })))),
    findings: 3,
  },
  {
    name: 'results without anything to tell them apart but their lines',
    log: log(run([R(4), R(40), R(400)])),
    findings: 3,
  },
  { name: 'a result that is given twice', log: log(run([R(4), R(4), R(5)])), findings: 2 },
  { name: 'a result that two runs of a tool give', log: log(run([R(4), R(6)]), run([R(6), R(9)])), findings: 3 },
  {
    name: 'two results on one line, with different columns',
    log: log(run([3, 30].map((startColumn) => R(4, { locations: [at(4, 'l.js', { startColumn })] })))),
    findings: 2,
  },
  {
    name: 'two results at one place, with different messages (ESLint)',
    log: log(
      run(
        ["'a' is defined but never used.", "'b' is defined but never used."].map((text) =>
          R(1, {
            ruleId: 'no-unused-vars',
            ruleIndex: 0,
            level: 'error',
            message: { text },
            locations: [at(1, { uri: 'file:///work/src/index.js', index: 0 }, { startColumn: 10, endColumn: 11 })],
          }),
        ),
        {
          name: 'ESLint',
          rules: [rule('no-unused-vars', undefined, { helpUri: 'https://eslint.org/docs/rules/no-unused-vars' })],
          run: { artifacts: [{ location: { uri: 'file:///work/src/index.js' } }] },
        },
      ),
    ),
    findings: 2,
  },
  {
    name: 'fingerprints whose values are objects, lists and numbers',
    log: log(
      run([
        R(1, { fingerprints: { 'v/1': { a: 1 } } }),
        R(2, { fingerprints: { 'v/1': { a: 2 } } }),
        R(3, { partialFingerprints: { n: 7, l: ['x'] } }),
      ]),
    ),
    findings: 3,
  },
  {
    name: 'a stable fingerprint beside a partial one',
    log: log(
      run([
        R(1, { fingerprints: { stable: 'a' }, partialFingerprints: { p: 'same' } }),
        R(1, { fingerprints: { stable: 'b' }, partialFingerprints: { p: 'same' } }),
      ]),
    ),
    findings: 2,
  },
]

const rules: SarifCase[] = [
  {
    name: 'rules of extensions by name, index and guid (CodeQL packs)',
    log: log(
      run(
        [
          R(12, { ruleId: undefined, rule: { index: 1, toolComponent: { name: 'pack' } } }),
          R(13, { ruleId: 'js/xss', rule: { id: 'js/xss', index: 0, toolComponent: { index: 1 } } }),
          R(14, { ruleId: undefined, rule: { guid: '0a0a-1', toolComponent: { guid: '0b0b-2' } } }),
        ].map((result, turn) => ({
          ...result,
          partialFingerprints: { primaryLocationLineHash: `3f${turn}:1`, primaryLocationStartColumnFingerprint: '4' },
          locations: [at(12 + turn, { uri: 'web/view.js', uriBaseId: '%SRCROOT%', index: 0 })],
        })),
        {
          name: 'CodeQL',
          extensions: [
            { name: 'pack', rules: [rule('p/zero'), scored('p/one', '7.2')] },
            {
              name: 'queries',
              guid: '0b0b-2',
              rules: [scored('js/xss', '9.3'), rule('js/log', 'note', { guid: '0a0a-1' })],
            },
          ],
          run: { artifacts: [{ location: { uri: 'web/view.js', uriBaseId: '%SRCROOT%', index: 0 } }] },
        },
      ),
    ),
    findings: 3,
  },
  {
    name: 'a rule by its index alone',
    log: log(run([R(1, { ruleId: undefined, ruleIndex: 1 })], { rules: [rule('Q0'), rule('Q7', 'error')] })),
    findings: 1,
  },
  {
    name: 'a rule by rule.id',
    log: log(run([R(1, { ruleId: undefined, rule: { id: 'Q7' } })], { rules: [rule('Q7', 'note')] })),
    findings: 1,
  },
  {
    name: 'a rule by its guid',
    log: log(
      run([R(1, { ruleId: undefined, rule: { guid: 'a-7' } })], { rules: [rule('Q7', 'none', { guid: 'a-7' })] }),
    ),
    findings: 1,
  },
  {
    name: 'rules by their parents',
    log: log(
      run([R(1, { ruleId: 'W1/left/deep' }), R(2, { ruleId: 'W1/right' }), R(3, { ruleId: 'W10/left' })], {
        rules: [scored('W1', '9.8'), rule('W1/left', 'note')],
      }),
    ),
    findings: 3,
  },
  {
    name: 'an index that belongs to another rule',
    log: log(run([R(1, { ruleIndex: 1 })], { rules: [rule('Q1', 'error'), rule('Q2', 'note')] })),
    findings: 1,
  },
  {
    name: 'two rules with one id',
    log: log(run([R(1, { ruleIndex: 1 })], { rules: [rule('Q1', 'error'), rule('Q1', 'note')] })),
    findings: 1,
  },
  {
    name: 'a rule of an extension by its id',
    log: log(run([R(1)], { extensions: [{ name: 'e', rules: [rule('Q1', 'error')] }] })),
    findings: 1,
  },
  { name: 'no rules', log: log({ tool: { driver: { name: 'Tern' } }, results: [R(1)] }), findings: 1 },
]

const override = (descriptor: Json, level: string): Json => ({ descriptor, configuration: { level } })
const overrides = (...ruleConfigurationOverrides: Json[]) => ({ executionSuccessful: true, ruleConfigurationOverrides })

const levels: SarifCase[] = [
  {
    name: 'a level of the invocation instead of the default',
    log: log(
      run([R(1), R(2, { ruleId: 'Q2' }), R(3, { ruleId: 'Q2', level: 'warning' })], {
        rules: [rule('Q1', 'note'), rule('Q2', 'note')],
        run: { invocations: [overrides(override({ id: 'Q1' }, 'error'), override({ index: 1 }, 'none'))] },
      }),
    ),
    findings: 3,
  },
  {
    name: 'the level of the invocation that gave a result',
    log: log(
      run(
        [0, 1, undefined].map((invocationIndex) => R(1 + (invocationIndex ?? 7), { provenance: { invocationIndex } })),
        {
          rules: [rule('Q1', 'none')],
          run: { invocations: [overrides(override({ id: 'Q1' }, 'error')), overrides(override({ index: 0 }, 'note'))] },
        },
      ),
    ),
    findings: 3,
  },
  {
    name: 'a level of the invocation for a rule of an extension',
    log: log(
      run([R(1, { rule: { index: 0, toolComponent: { index: 0 } } })], {
        rules: [rule('Q1', 'note')],
        extensions: [{ name: 'e', rules: [rule('Q1', 'none')] }],
        run: {
          invocations: [
            overrides(override({ index: 0, toolComponent: { name: 'e' } }, 'error'), override({ index: 0 }, 'warning')),
          ],
        },
      }),
    ),
    findings: 1,
  },
  {
    name: 'every level and kind',
    log: log(
      run(
        [
          ...['error', 'warning', 'note', 'none', undefined].map((level, line) => R(1 + line, { level })),
          ...['fail', 'open', 'review', 'pass', 'notApplicable', 'informational'].map((kind, line) =>
            R(20 + line, { kind }),
          ),
        ],
        { rules: [rule('Q1', 'error')] },
      ),
    ),
    findings: 8,
  },
  {
    name: 'suppressions and baseline states',
    log: log(
      run([
        R(1, { suppressions: [] }),
        R(2, { suppressions: [{ kind: 'inSource' }] }),
        R(3, { suppressions: [{ kind: 'external', status: 'underReview' }] }),
        R(4, { suppressions: [{ kind: 'external', status: 'accepted' }] }),
        ...['new', 'unchanged', 'updated', 'absent'].map((baselineState, line) => R(5 + line, { baselineState })),
      ]),
    ),
    findings: 8,
  },
]

const bases = {
  ROOT: { uri: 'file:///build/' },
  SRC: { uri: 'packages/', uriBaseId: 'ROOT' },
  UP: { uri: '../lib', uriBaseId: 'SRC' },
}
const nested = [{ location: { uri: 'a.ts' } }, { location: { uri: 'my%20file.ts', uriBaseId: 'SRC' } }]

const places: SarifCase[] = [
  {
    name: 'a file by its index, in a chain of bases',
    log: log(
      run([R(2, { locations: [at(2, { index: 1 })] })], { run: { originalUriBaseIds: bases, artifacts: nested } }),
    ),
    findings: 1,
  },
  {
    name: 'a base above its own',
    log: log(
      run([R(2, { locations: [at(2, { uri: './x.ts', uriBaseId: 'UP' })] })], { run: { originalUriBaseIds: bases } }),
    ),
    findings: 1,
  },
  {
    name: 'bases in a circle, and one that is not described',
    log: log(
      run(
        [
          R(1, { locations: [at(1, { uri: 'a.ts', uriBaseId: 'A' })] }),
          R(2, { locations: [at(2, { uri: 'a.ts', uriBaseId: 'NONE' })] }),
        ],
        {
          run: { originalUriBaseIds: { A: { uri: 'x/', uriBaseId: 'B' }, B: { uri: 'y/', uriBaseId: 'A' } } },
        },
      ),
    ),
    findings: 2,
  },
  {
    name: 'files in archives',
    log: log(
      run(
        [1, 3].map((index) => R(5, { locations: [at(5, { index })] })),
        {
          run: {
            artifacts: [
              { location: { uri: 'lib/one.jar' } },
              { location: { uri: '/Main.class' }, parentIndex: 0 },
              { location: { uri: 'lib/two.jar' } },
              { location: { uri: '/Main.class' }, parentIndex: 2 },
            ],
          },
        },
      ),
    ),
    findings: 2,
  },
  {
    name: 'logical locations, the target of the analysis, and none',
    log: log(
      run(
        [
          R(0, { locations: [{ logicalLocations: [{ fullyQualifiedName: 'app::Pier' }] }] }),
          R(0, { locations: [{ logicalLocations: [{ index: 0 }] }] }),
          R(0, { locations: [], analysisTarget: { uri: 'target.c' } }),
          R(0, { locations: [] }),
        ],
        { run: { logicalLocations: [{ fullyQualifiedName: 'app::Dock' }] } },
      ),
    ),
    findings: 4,
  },
  { name: 'lines that are none', log: log(run([R(3), R(8, { locations: [at(undefined)] })])), findings: 2 },
]

const string = (text: string, markdown?: string) => ({ text, ...(markdown === undefined ? {} : { markdown }) })
const messages: SarifCase[] = [
  {
    name: 'messages by id, of the rule and of the component, with arguments',
    log: log(
      run(
        [
          R(1, { message: { id: 'long', arguments: ['pier', '4'] } }),
          R(2, { message: { id: 'all', arguments: ['dock'] } }),
          R(3, { message: { text: 'Bare {0} and {{1}}.', arguments: ['text'] } }),
          R(4, { message: { markdown: '**Only** Markdown' } }),
          R(5, { message: { text: 'Write {{ name }}.' } }),
        ],
        {
          rules: [
            rule('Q1', undefined, { messageStrings: { long: string('The {0} has {1} faults.', 'The **{0}**') } }),
          ],
          driver: { globalMessageStrings: { all: { markdown: '*{0}* is shut' } } },
        },
      ),
    ),
    findings: 5,
  },
]

const scanners: SarifCase[] = [
  {
    name: 'secrets with the commit as fingerprint (gitleaks)',
    log: log(
      run(
        [3, 9].map((line, turn) => ({
          ruleId: 'generic-api-key',
          message: { text: `generic-api-key has detected secret for file conf.env.` },
          partialFingerprints: {
            commitSha: 'c0ffee',
            email: 'a@example.com',
            author: 'A',
            date: '2025-01-01T00:00:00Z',
            commitMessage: 'm',
          },
          locations: [at(line, 'conf.env', { startColumn: 2, endLine: line, endColumn: 30, ...snip(`KEY_${turn}`) })],
        })),
        { name: 'gitleaks', rules: [rule('generic-api-key')] },
      ),
    ),
    findings: 2,
  },
  {
    name: 'packages of a lock file, all on its first line (Trivy)',
    log: log(
      run(
        ['axios', 'lodash', 'lodash'].map((name, turn) => ({
          ruleId: turn === 2 ? 'CVE-2021-23337' : 'CVE-2020-28500',
          ruleIndex: turn === 2 ? 1 : 0,
          level: 'warning',
          message: { text: `Package: ${name}\nInstalled Version: 1.0.${turn}` },
          locations: [
            {
              ...at(
                1,
                { uri: 'package-lock.json', uriBaseId: 'ROOTPATH' },
                { startColumn: 1, endLine: 1, endColumn: 1 },
              ),
              message: { text: 'x' },
            },
          ],
        })),
        {
          name: 'Trivy',
          rules: [scored('CVE-2020-28500', '5.3'), scored('CVE-2021-23337', '7.2')],
          run: { columnKind: 'utf16CodeUnits', originalUriBaseIds: { ROOTPATH: { uri: 'file:///repo/' } } },
        },
      ),
    ),
    findings: 3,
  },
  {
    name: 'packages told apart by a logical location only (Snyk Open Source)',
    log: log(
      run(
        ['minimist@0.0.8', 'minimist@1.2.0'].map((fullyQualifiedName) =>
          R(1, {
            ruleId: 'SNYK-JS-MINIMIST-559764',
            level: 'warning',
            locations: [{ ...at(1, 'package.json'), logicalLocations: [{ fullyQualifiedName }] }],
          }),
        ),
        { name: 'Snyk Open Source', rules: [scored('SNYK-JS-MINIMIST-559764', '5.6')] },
      ),
    ),
    findings: 2,
  },
  {
    name: 'resources of a file with one message (Checkov)',
    log: log(
      run(
        [29, 60].map((line) =>
          R(line, {
            ruleId: 'CKV_AWS_283',
            ruleIndex: 0,
            level: 'error',
            attachments: [],
            locations: [at(line, 'es.tf', { endLine: line + 9, ...snip(`data "p${line}" {}`) })],
          }),
        ),
        { name: 'Checkov', rules: [rule('CKV_AWS_283', 'error')] },
      ),
    ),
    findings: 2,
  },
  {
    name: 'lists of imported modules, with properties (Bandit)',
    log: log(
      run(
        [1, 2].map((line) =>
          R(line, {
            ruleId: 'B404',
            ruleIndex: 0,
            level: 'note',
            properties: { issue_confidence: 'HIGH', issue_severity: 'LOW' },
            locations: [{ ...at(line, 'tool.py', { endColumn: 18, ...snip('import subprocess\n') }) }],
          }),
        ),
        {
          name: 'Bandit',
          rules: [rule('B404', undefined, { properties: { tags: ['security', 7] } })],
          run: { invocations: [{ executionSuccessful: true, endTimeUtc: '2025-04-01T10:00:00Z' }] },
        },
      ),
    ),
    findings: 2,
  },
  {
    name: 'rules without defaults, absolute files (tfsec)',
    log: log(
      run(
        [4, 4].map((line, turn) =>
          R(line, {
            ruleId: 'aws-s3-enable-logging',
            ruleIndex: 0,
            level: turn === 0 ? 'error' : 'error',
            locations: [at(line, 'main.tf', { endLine: 6 + turn })],
          }),
        ),
        { name: 'tfsec', rules: [rule('aws-s3-enable-logging')] },
      ),
    ),
    findings: 2,
  },
  {
    name: 'issues exported with their keys (SonarQube)',
    log: log(
      run(
        ['AX1', 'AX2'].map((key) => R(77, { ruleId: 'java:S2095', fingerprints: { stable: key }, level: 'error' })),
        { name: 'SonarQube' },
      ),
    ),
    findings: 2,
  },
  {
    name: 'members of unexpected types, and null, where they are not used (PHP tools)',
    log: log(
      run(
        [
          R(6, {
            fingerprints: [],
            properties: [],
            codeFlows: 'none',
            suppressions: null,
            level: null,
            locations: [at(6), 'elsewhere'],
          }),
          { kind: 'pass', ruleId: 7 },
        ],
        {
          rules: [rule('Q1', 'error'), { id: 9, defaultConfiguration: 'none' }],
          driver: { version: 3 },
          run: { artifacts: 'none', originalUriBaseIds: [] },
        },
      ),
    ),
    findings: 1,
  },
]

export const cases: readonly SarifCase[] = [...identity, ...rules, ...levels, ...places, ...messages, ...scanners]

/** The log after lines were added at the top of every file. */
export function shift<T>(value: T, by: number): T {
  if (Array.isArray(value)) return value.map((item) => shift(item, by)) as T
  if (typeof value !== 'object' || value === null) return value
  const isLine = (name: string, member: unknown) =>
    (name === 'startLine' || name === 'endLine') && typeof member === 'number'
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isLine(name, member) ? (member as number) + by : shift(member, by),
    ]),
  ) as T
}

import { at, log, R, rule, run, type SarifCase, scored, snip } from './builders.ts'

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

export const placesAndScanners: readonly SarifCase[] = [...places, ...messages, ...scanners]

import { at, type Json, log, R, rule, run, type SarifCase, scored, snip } from './builders.ts'
import { placesAndScanners } from './scanner-cases.ts'

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
            locations: [at(1, { uri: 'file:///checkout/src/index.js', index: 0 }, { startColumn: 10, endColumn: 11 })],
          }),
        ),
        {
          name: 'ESLint',
          rules: [rule('no-unused-vars', undefined, { helpUri: 'https://eslint.org/docs/rules/no-unused-vars' })],
          run: { artifacts: [{ location: { uri: 'file:///checkout/src/index.js' } }] },
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

export const cases: readonly SarifCase[] = [...identity, ...rules, ...levels, ...placesAndScanners]

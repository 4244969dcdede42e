import type { Break } from './break.ts'

const plan = 'src/definitions/apply.ts'
const definitionsTest = 'tests/definitions/definitions.test.ts'
const metrics = 'src/metrics/lifecycle.ts'
const metricsTest = 'tests/metrics/changes.test.ts'

/** Definitions, what certifies them, and definitions as code. */
export const definitionBreaks: readonly Break[] = [
  {
    id: 'apply-overwrites',
    rule: 'What was edited in the database since is not overwritten.',
    file: plan,
    find: 'if (!options.force) requireKnown(memory, changes)',
    put: '',
    test: { file: definitionsTest },
  },
  {
    id: 'apply-prunes',
    rule: 'Nothing is deleted without --prune.',
    file: plan,
    find: 'pruned: options.prune ? managed : new Set<Kind>() }',
    put: 'pruned: managed }',
    test: { file: definitionsTest },
  },
  {
    id: 'rehearsal-kept',
    rule: 'A dry run changes nothing.',
    file: 'src/store/store.ts',
    find: '        outcome = { result: work(writer) }\n        throw undone',
    put: '        outcome = { result: work(writer) }',
    test: { file: definitionsTest },
  },
  {
    id: 'apply-of-unsound-files',
    rule: 'Nothing is applied while one file is wrong.',
    file: plan,
    find: '  requireSoundFiles(problems)\n',
    put: '',
    test: { file: 'tests/definitions' },
  },
  {
    id: 'certified-although-changed',
    rule: 'A metric that means something else is no longer certified.',
    file: metrics,
    find: "if (means) Object.assign(changed, uncertified, current, { status: 'DRAFT', version: metric.version + 1 })",
    put: 'if (means) Object.assign(changed, { version: metric.version + 1 })',
    test: { file: 'tests/metrics' },
  },
  {
    id: 'drift-not-seen',
    rule: 'A certified metric says when what it is made of has changed.',
    file: 'src/metrics/drift.ts',
    find: 'if (part !== metric) parts.set(`metric ${part.slug}`, hash(toMeaning(part)))',
    put: '',
    test: { file: metricsTest, title: 'makes the certified metrics above it drift' },
  },
  {
    id: 'term-drift-not-seen',
    rule: 'A certified metric says when its term means something else.',
    file: 'src/metrics/drift.ts',
    find: 'if (part.term !== null) parts.set(`term ${part.term.slug}`, hash(part.term.filterMapping))',
    put: '',
    test: { file: 'tests/metrics' },
  },
  {
    id: 'used-metric-deleted',
    rule: 'A metric that others use is not deleted.',
    file: metrics,
    find: 'if (metrics.length + dashboards.length > 0) {',
    put: 'if (metrics.length + dashboards.length < 0) {',
    test: { file: metricsTest, title: 'a metric in use is not deleted' },
  },
  {
    id: 'change-not-in-trail',
    rule: 'Every change of a metric is in the audit trail.',
    file: metrics,
    find: "  auditMetric(writer, author, 'update', metric, updated)\n",
    put: '',
    test: { file: metricsTest, title: 'every change of a metric is in the trail' },
  },
]

import fc from 'fast-check'
import type { Members } from '../../src/definitions/model.ts'

/** Whole sets of definitions that fit together, as people could write them. */

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,6}(-[a-z0-9]{1,4})?$/)
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(
    '',
    'yes',
    '1.0',
    '- a: b # c',
    'a\nb\n\n  c ',
    '"q" \'s\' %x @y',
    '\u2028x',
    '\tz',
    '~',
    'é ü 漢',
    '{a: [1',
  ),
)
const shown = text.filter((value) => value.trim() !== '' && value.length <= 100)
const color = fc.option(fc.constantFrom('#abc', '#A0b1C2'))
const synonyms = fc.array(
  shown.map((value) => value.trim()),
  { maxLength: 3 },
)
const filters = fc.record(
  {
    severities: fc.uniqueArray(fc.constantFrom('CRITICAL', 'HIGH', 'LOW'), { minLength: 1 }),
    statuses: fc.uniqueArray(fc.constantFrom('OPEN', 'RESOLVED', 'IGNORED'), { minLength: 1 }),
    containers: fc.uniqueArray(shown, { minLength: 1, maxLength: 3 }),
    minConfidence: fc.double({ min: 0.1, max: 1, noNaN: true }),
    exclude: fc.constant({ detectorTypes: ['PII'] }),
  },
  { requiredKeys: ['severities'] },
)

const term = fc.record(
  {
    slug: word.map((slug) => `t-${slug}`),
    displayName: shown,
    description: text,
    category: text,
    color,
    icon: fc.option(shown),
    synonyms,
    isActive: fc.boolean(),
    filterMapping: filters,
  },
  { requiredKeys: ['slug', 'displayName', 'filterMapping'] },
)

const simple = fc.record(
  {
    aggregation: fc.constant('COUNT'),
    entity: fc.constant('finding'),
    filters,
    mode: fc.constantFrom('flow', 'stock'),
    timeField: fc.constantFrom('firstDetectedAt', 'resolvedAt'),
  },
  { requiredKeys: ['aggregation', 'entity'] },
)

const metricTexts = fc.record(
  {
    displayName: shown,
    description: text,
    owner: fc.option(shown),
    color,
    synonyms,
    unit: fc.constantFrom('', '%', 'findings'),
    format: fc.constantFrom('number', 'percentage'),
    allowedDimensions: fc.uniqueArray(fc.constantFrom('severity', 'status', 'source')),
  },
  { requiredKeys: ['displayName'] },
)

/** How a metric comes about from those before it: the index makes every set free of circles. */
const shape = fc.record({ type: fc.constantFrom('SIMPLE', 'RATIO', 'DERIVED', 'TREND'), simple, pick: fc.nat() })

export interface GeneratedSet {
  terms: Members[]
  metrics: Members[]
  dashboards: Members[]
}

export const definitionSets: fc.Arbitrary<GeneratedSet> = fc
  .record({
    terms: fc.uniqueArray(term, { selector: ({ slug }) => slug, maxLength: 4 }),
    metrics: fc.uniqueArray(
      fc.record({ slug: word.map((slug) => `m-${slug}`), texts: metricTexts, shape, term: fc.option(fc.nat()) }),
      { selector: ({ slug }) => slug, maxLength: 6 },
    ),
    dashboards: fc.uniqueArray(
      fc.record({
        name: shown.filter((name) => /^\P{Cc}*$/u.test(name)).map((name) => name.trim()),
        picks: fc.uniqueArray(fc.nat({ max: 5 }), { minLength: 1 }),
        placement: fc.record(
          {
            size: fc.constantFrom('sm', 'md', 'xl'),
            chartType: fc.constantFrom('number', 'bar'),
            position: fc.nat({ max: 20 }),
            pinnedFilters: filters,
          },
          { requiredKeys: [] },
        ),
      }),
      { selector: ({ name }) => name.toLowerCase(), maxLength: 2 },
    ),
  })
  .map(({ terms, metrics, dashboards }) => {
    const made: Members[] = []
    for (const { slug, texts, shape: wanted, term: pick } of metrics) {
      const basis = made.filter(({ depth, type }) => Number(depth) < 3 && type !== 'TREND')
      const input = basis[wanted.pick % Math.max(1, basis.length)]
      const definition = input === undefined ? undefined : toComposed(wanted.type, String(input.slug), wanted.simple)
      const linked = pick === null || terms.length === 0 ? {} : { glossaryTermSlug: terms[pick % terms.length]?.slug }
      const depth = definition === undefined ? 0 : Number(input?.depth) + 1
      const typed =
        definition === undefined ? { type: 'SIMPLE', definition: wanted.simple } : { type: wanted.type, definition }
      made.push({ slug, ...texts, ...linked, ...typed, depth })
    }
    const slugs = made.map(({ slug }) => slug)
    return {
      terms,
      metrics: made.map(({ depth, ...metric }) => metric),
      dashboards:
        slugs.length === 0
          ? []
          : dashboards.map(({ name, picks, placement }) => ({
              name,
              placements: [...new Set(picks.map((pick) => slugs[pick % slugs.length]))].map((metricSlug) => ({
                metricSlug,
                ...placement,
              })),
            })),
    }
  })

function toComposed(type: string, slug: string, definition: object): object | undefined {
  if (type === 'RATIO') return { numerator: { metricSlug: slug }, denominator: definition }
  if (type === 'DERIVED') return { formula: `${slug.replaceAll('-', '_')} + 1`, inputs: [slug] }
  return type === 'TREND' ? { baseMetricSlug: slug, currentWindow: '7d', compareWindow: '7d' } : undefined
}

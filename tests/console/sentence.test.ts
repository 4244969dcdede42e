import './dimensions.ts'
import { expect, test } from 'vitest'

const { toSentence } = await import('../../src/console/sentence.ts')

test.each([
  [
    { type: 'SIMPLE', definition: { aggregation: 'COUNT', entity: 'finding' } },
    'The number of findings first detected in the time asked about.',
  ],
  [
    {
      type: 'SIMPLE',
      definition: {
        aggregation: 'COUNT',
        entity: 'finding',
        mode: 'stock',
        filters: { severities: ['CRITICAL', 'HIGH'], exclude: { statuses: ['FALSE_POSITIVE'] } },
      },
      glossaryTermSlug: 'pii-exposure',
    },
    'The number of findings where severity is Critical or High, and status is not False positive, as of the end of the time asked about, always within the term pii-exposure.',
  ],
  [
    {
      type: 'SIMPLE',
      definition: {
        aggregation: 'PERCENTILE',
        entity: 'finding',
        field: 'resolutionHours',
        p: 0.9,
        timeField: 'resolvedAt',
        window: { last: '28d' },
        filters: { ranges: { confidence: { min: 0.5 } } },
      },
    },
    'The 90th percentile of hours to resolution of findings resolved in the time asked about, where ranges is confidence › min 0.5, over the last 28d at each moment.',
  ],
  [
    {
      type: 'RATIO',
      definition: { numerator: { metricSlug: 'a' }, denominator: { aggregation: 'COUNT', entity: 'asset' } },
    },
    'The metric a; divided by the number of assets first seen in the time asked about.',
  ],
  [{ type: 'DERIVED', definition: { formula: 'a / b', inputs: ['a', 'b'] } }, 'The result of a / b.'],
  [
    { type: 'TREND', definition: { baseMetricSlug: 'a', currentWindow: '7d', compareWindow: '7d' } },
    'The change of a in the last 7d against the 7d before.',
  ],
] as const)('%j means what the sentence says', (metric, sentence) => expect(toSentence(metric)).toBe(sentence))

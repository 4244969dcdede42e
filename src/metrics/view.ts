import { z } from 'zod'
import { GlossaryTerm, toGlossaryTerm } from '../glossary/model.ts'
import { withReview } from '../glossary/review.ts'
import { toInstantOrNull } from '../kernel/instant.ts'
import type { Reader } from '../store/store.ts'
import { listDirectDependents } from './dependencies.ts'
import { getTrust } from './drift.ts'
import { listDashboardsOf, listWatchesOf, loadMetrics } from './metrics.store.ts'
import {
  betterDirections,
  dimensions,
  type MetricRecord,
  MetricTest,
  metricFormats,
  metricStatuses,
  metricTypes,
  trustTiers,
} from './model.ts'

const instant = z.string().describe('ISO 8601 UTC timestamp.')

/** A metric as returned in answers: flat, with its governance. */
export const Metric = z.object({
  id: z.string().describe('Id of the metric.'),
  slug: z.string().describe('Name in paths and queries.'),
  displayName: z.string().describe('Display name.'),
  description: z.string().describe('Meaning.'),
  type: z.enum(metricTypes).describe('Type of metric.'),
  definition: z.record(z.string(), z.unknown()).describe('Definition; its shape depends on type.'),
  allowedDimensions: z.array(z.enum(dimensions)).describe('Dimensions that it may be broken down by.'),
  format: z.enum(metricFormats).describe('Format of its value; a percentage is a fraction in value.'),
  unit: z.string().describe('Unit, such as findings; may be empty.'),
  status: z.enum(metricStatuses).describe('DRAFT, ACTIVE once certified, or DEPRECATED.'),
  glossaryTermSlug: z.string().nullable().describe('The term that always filters it.'),
  owner: z.string().nullable().describe('Owner.'),
  color: z.string().nullable().describe('Hex colour.'),
  synonyms: z.array(z.string()).describe('Other names it is found by.'),
  emptyAs: z.enum(['zero', 'null']).nullable().describe('Value of a SUM over no rows; null: the default, zero.'),
  better: z.enum(betterDirections).nullable().describe('Which direction of change is good; null: neither.'),
  tests: z.array(MetricTest).describe('What must hold for its value.').optional(),
  version: z.number().describe('Incremented by each change of meaning.'),
  certifiedBy: z.string().nullable().describe('Who certified it.'),
  certifiedAt: instant.nullable().describe('When it was certified.'),
  certifiedVersion: z.number().nullable().describe('The version that was certified.'),
  certifiedVia: z.string().nullable().describe('Interface used: http, mcp or cli.'),
  deprecatedBy: z.string().nullable().describe('Who deprecated it.'),
  deprecatedAt: instant.nullable().describe('When it was deprecated.'),
  deprecationReason: z.string().nullable().describe('Why it is deprecated.'),
  replacedBy: z.string().nullable().describe('Slug of its successor.'),
  trust: z
    .object({
      tier: z.enum(trustTiers).describe('Trust tier.'),
      label: z.string().describe('Trust in one sentence.'),
      unreviewed: z.literal(true).describe('No person has reviewed its texts.').optional(),
    })
    .describe('How far its values can be trusted.'),
  createdAt: instant,
  updatedAt: instant,
})
export type Metric = z.infer<typeof Metric>

export const UsedBy = z.object({
  metrics: z.array(z.string()).describe('Slugs of the metrics based on it.'),
  dashboards: z.array(z.string()).describe('Names of the dashboards that show it.'),
  watches: z.array(z.string()).describe('Slugs of the watches on it.').optional(),
})

export const MetricDetail = Metric.extend({
  glossaryTerm: GlossaryTerm.nullable().describe('The whole linked term.'),
  usedBy: UsedBy.describe('What depends on it.'),
})
export type MetricDetail = z.infer<typeof MetricDetail>

export function toMetric(reader: Reader, metric: MetricRecord): Metric {
  const {
    id,
    uid,
    term,
    certifiedDigest,
    createdAt,
    updatedAt,
    certifiedAt,
    deprecatedAt,
    tests,
    failing,
    ...members
  } = metric
  return {
    ...members,
    id: uid,
    definition: { ...members.definition },
    glossaryTermSlug: term?.slug ?? null,
    certifiedAt: toInstantOrNull(certifiedAt),
    deprecatedAt: toInstantOrNull(deprecatedAt),
    ...(tests.length === 0 ? {} : { tests }),
    trust: getTrust(reader, metric),
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  }
}

export function toMetricDetail(reader: Reader, metric: MetricRecord): MetricDetail {
  return {
    ...toMetric(reader, metric),
    glossaryTerm: metric.term === null ? null : withReview(reader, toGlossaryTerm(metric.term)),
    usedBy: {
      metrics: listDirectDependents(loadMetrics(reader), metric.slug),
      dashboards: listDashboardsOf(reader, metric.id),
      watches: listWatchesOf(reader, metric.id),
    },
  }
}

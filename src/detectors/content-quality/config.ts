import { z } from 'zod'

export const qualityTypes = [
  'STALE',
  'OWNER_GONE',
  'EMPTY',
  'PLACEHOLDER',
  'OUTDATED_REFERENCE',
  'UNRESOLVED_COMMENTS',
  'NO_DESCRIPTION',
  'NO_OWNER',
] as const
export type QualityType = (typeof qualityTypes)[number]

const days = (value: number) => z.int().min(1).max(36_500).default(value)

/** Settings of `CONTENT_QUALITY`. */
export const ContentQualityConfig = z.strictObject({
  types: z
    .array(z.enum(qualityTypes))
    .max(qualityTypes.length)
    .default([...qualityTypes])
    .describe('Finding types to report.'),
  staleAfterDays: days(365).describe('Days without an edit after which a page is STALE.'),
  emptyBelowWords: z
    .int()
    .min(1)
    .max(1_000)
    .default(15)
    .describe('A page with fewer words, and nothing else on it, is EMPTY.'),
  unresolvedAfterDays: days(90).describe('Days without a reply after which an open inline comment is reported.'),
  outdatedAfterYears: z
    .int()
    .min(1)
    .max(100)
    .default(3)
    .describe('Age in years from which a year beside words such as "current" is an OUTDATED_REFERENCE.'),
})
export type ContentQualityConfig = z.infer<typeof ContentQualityConfig>

import { z } from 'zod'
import { severities } from '../detector.ts'

export const MAX_KEYWORDS = 1_000
export const MAX_PATTERN_LENGTH = 512
const MAX_CONDITIONS = 50

const keywords = z.array(z.string().trim().min(1).max(200)).min(1).max(MAX_KEYWORDS).describe('Words or phrases.')
const pattern = z
  .string()
  .min(1)
  .max(MAX_PATTERN_LENGTH)
  .describe(
    'RE2 pattern: no lookaround, no back-references. If it has a group named value, the match of that group is reported.',
  )
const flags = z
  .string()
  .regex(/^[ims]{0,3}$/, 'may contain i, m and s.')
  .refine((letters) => new Set(letters).size === letters.length, 'may contain each letter once.')
  .default('')
  .describe('i: ignore letter case; m: ^ and $ match at every line; s: . also matches line breaks.')

const KeywordsCondition = z.strictObject({
  type: z.literal('KEYWORDS').describe('Words in the text.'),
  keywords,
  caseSensitive: z.boolean().default(false).describe('Whether letter case must match.'),
  wholeWords: z.boolean().default(true).describe('Whether a keyword must not be part of a longer word.'),
})

const RegexCondition = z.strictObject({
  type: z.literal('REGEX').describe('A pattern in the text.'),
  pattern,
  flags,
})

const ColumnCondition = z.strictObject({
  type: z.literal('COLUMN').describe('Names of columns and measures, and headers of tables and sheets.'),
  keywords,
  wholeWords: z.boolean().default(true).describe('Whether a keyword must be a whole part of the name.'),
})

export const metadataFields = ['name', 'url', 'kind', 'container', 'owner', 'label', 'contentUpdatedAt'] as const
const metadataOperators = [
  'EQUALS',
  'CONTAINS',
  'STARTS_WITH',
  'MATCHES',
  'MISSING',
  'PRESENT',
  'BEFORE',
  'AFTER',
] as const

const MetadataCondition = z.strictObject({
  type: z.literal('METADATA').describe('A fact about the asset.'),
  field: z.enum(metadataFields).describe('Name of the fact.'),
  operator: z
    .enum(metadataOperators)
    .describe('Comparison, ignoring letter case; MATCHES takes RE2 patterns, BEFORE and AFTER a date.'),
  values: z
    .array(z.string().min(1).max(MAX_PATTERN_LENGTH))
    .max(100)
    .default([])
    .describe('Any of these; none for MISSING and PRESENT.'),
})
export type MetadataCondition = z.infer<typeof MetadataCondition>

export const Condition = z
  .discriminatedUnion('type', [KeywordsCondition, RegexCondition, ColumnCondition, MetadataCondition])
  .describe('A condition.')
export type Condition = z.infer<typeof Condition>

const conditions = z.array(Condition).max(MAX_CONDITIONS)

export const Rule = z
  .strictObject({
    all: conditions.default([]).describe('All must hold; the matches of the first condition on text are reported.'),
    any: conditions
      .default([])
      .describe('At least one must hold; their matches are reported if all has no condition on text.'),
    none: conditions.default([]).describe('None may hold.'),
    within: z
      .int()
      .min(1)
      .max(10_000)
      .describe(
        'Maximum distance in characters between the reported match and the other conditions; default: anywhere.',
      )
      .optional(),
  })
  .describe('The conditions for a finding, and its location.')
export type Rule = z.infer<typeof Rule>

/** A custom detector as passed to the code that runs it. */
export const CustomDefinition = z.strictObject({
  key: z.string(),
  findingType: z.string(),
  category: z.string(),
  severity: z.enum(severities),
  confidence: z.number().min(0.5).max(1),
  assetKinds: z.array(z.string()).optional(),
  containers: z.array(z.string()).optional(),
  rule: Rule,
})
export type CustomDefinition = z.infer<typeof CustomDefinition>

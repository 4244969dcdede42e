import { z } from 'zod'

export const duplicateTypes = ['EXACT_DUPLICATE', 'NEAR_DUPLICATE', 'CONTAINED_DUPLICATE'] as const
export type DuplicateType = (typeof duplicateTypes)[number]

/** Settings of `DUPLICATE`. */
export const DuplicateConfig = z.strictObject({
  types: z
    .array(z.enum(duplicateTypes))
    .max(duplicateTypes.length)
    .default([...duplicateTypes])
    .describe('Finding types to report.'),
  similarity: z
    .number()
    .min(0.85)
    .max(1)
    .default(0.85)
    .describe('Minimum share of common word sequences for NEAR_DUPLICATE.'),
  minimumWords: z.int().min(20).max(100_000).default(50).describe('Texts with fewer words are not compared.'),
  largestGroup: z
    .int()
    .min(2)
    .max(1_000)
    .default(50)
    .describe('Larger groups of similar texts come from a template and are reported only if they are identical.'),
})
export type DuplicateConfig = z.infer<typeof DuplicateConfig>

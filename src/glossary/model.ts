import { z } from 'zod'
import { FilterMapping, restrictsNothing } from '../findings/filter.ts'

/** The unique, immutable name of a term or metric in paths. */
export const Slug = z
  .string()
  .max(100, 'must be at most 100 characters long.')
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case words joined by hyphens, such as open-findings.')

export const DisplayName = z.string().trim().min(1, 'must not be empty.').max(200)
export const Description = z.string().max(4000)
export const Synonyms = z.array(z.string().trim().min(1, 'must not be empty.').max(100)).max(50)
export const Color = z
  .string()
  .regex(
    /^#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$/,
    'must be a hex colour such as #d33, #dd3333 or #dd333380.',
  )

/** A term's mapping: a filter with at least one restriction. */
export const TermMapping = FilterMapping.refine((mapping) => !isOpen(mapping), {
  message: 'matches everything; give at least one key, such as detectorTypes or severities.',
}).superRefine(({ terms, exclude }, context) => {
  const message = 'cannot be in the mapping of a term; write the keys of that term here.'
  if (terms !== undefined) context.addIssue({ code: 'custom', path: ['terms'], message })
  if (exclude?.terms !== undefined) context.addIssue({ code: 'custom', path: ['exclude', 'terms'], message })
})

function isOpen({ minConfidence, ...mapping }: FilterMapping): boolean {
  return (minConfidence ?? 0) === 0 && restrictsNothing(mapping)
}

/** The optional members of a term, shared by create and update. */
export const termMembers = {
  description: Description.describe('Meaning of the term.').optional(),
  category: z.string().max(100).describe('Group of terms, such as SECURITY.').optional(),
  color: Color.nullable().describe('Hex colour, such as #d33.').optional(),
  icon: z.string().max(100).nullable().describe('Name of an icon.').optional(),
  synonyms: Synonyms.describe('Other names of the term.').optional(),
  isActive: z.boolean().describe('False hides it from lists and queries.').optional(),
}

export const CreateGlossaryTerm = z.strictObject({
  slug: Slug.describe('Name in paths, such as customer-data; permanent.'),
  displayName: DisplayName.describe('Display name.'),
  filterMapping: TermMapping,
  ...termMembers,
})

const instant = z.string().describe('ISO 8601 UTC timestamp.')

/** A term in lists: without colour and icon. */
export const GlossaryTermItem = z.object({
  id: z.string().describe('Id of the term.'),
  slug: z.string().describe('Name in paths.'),
  displayName: z.string().describe('Display name.'),
  description: z.string().describe('What the term means.'),
  category: z.string().describe('Group of terms; may be empty.'),
  filterMapping: FilterMapping.describe('Findings that the term covers.'),
  synonyms: z.array(z.string()).describe('Other names it is found by.'),
  isActive: z.boolean().describe('False: stored, but not used in queries.'),
  unreviewed: z.literal(true).describe('An assistant wrote it and no person has reviewed it.').optional(),
  createdAt: instant,
  updatedAt: instant,
})
export type GlossaryTermItem = z.infer<typeof GlossaryTermItem>

export const GlossaryTerm = GlossaryTermItem.extend({
  color: z.string().nullable().describe('Hex colour.'),
  icon: z.string().nullable().describe('Name of an icon.'),
})
export type GlossaryTerm = z.infer<typeof GlossaryTerm>

/** The names by which a term or metric is found. */
export interface NamedRow {
  slug: string
  uid: string
  displayName: string
  synonyms: readonly string[]
}

/** A term as stored; times in milliseconds. */
export interface TermRecord {
  id: number
  uid: string
  slug: string
  displayName: string
  description: string
  category: string
  filterMapping: FilterMapping
  color: string | null
  icon: string | null
  synonyms: string[]
  isActive: boolean
  createdAt: number
  updatedAt: number
}

export function toGlossaryTerm(term: TermRecord): GlossaryTerm {
  return { ...toGlossaryTermItem(term), color: term.color, icon: term.icon }
}

export function toGlossaryTermItem(term: TermRecord): GlossaryTermItem {
  const { uid, color, icon, createdAt, updatedAt, ...rest } = term
  return {
    ...rest,
    id: uid,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  }
}

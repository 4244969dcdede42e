import { z } from 'zod'
import { line, showCode, showJson, showName, showNames, showSentence } from '../kernel/shown.ts'
import { authorOf } from '../operation/author.ts'
import { type Operation, operation } from '../operation/operation.ts'
import { countFindings, listTerms } from './glossary.store.ts'
import { CreateGlossaryTerm, GlossaryTerm, GlossaryTermItem, toGlossaryTerm, toGlossaryTermItem } from './model.ts'
import { getTerm } from './names.ts'
import { showTags, withReview } from './review.ts'
import { PageInput, searchPage } from './search.ts'
import { createTerm } from './terms.ts'
import { toTermWarnings, Warnings } from './warnings.ts'

/** The term as a path parameter. */
export const TermName = z.string().min(1).max(200).describe('Term: slug, id, name or synonym.')

export const TermAnswer = GlossaryTerm.extend({ warnings: Warnings.optional() })

const listGlossaryTerms = operation({
  name: 'list_glossary_terms',
  title: 'List glossary terms',
  summary: 'List business terms and the findings they cover. Use it first to map a phrase to a glossaryTermSlug.',
  effect: 'read',
  isRevalidated: true,
  scope: 'read',
  route: 'GET /semantic/glossary',
  toolset: 'agent',
  texts: 'own',
  input: z.strictObject({
    search: z.string().max(500).describe('Words in name, description or synonyms; prefixes match.').optional(),
    category: z.string().max(100).describe('Whole category, in any letter case.').optional(),
    includeInactive: z.boolean().describe('Also inactive terms.').optional(),
    ...PageInput,
  }),
  output: z.object({
    items: z.array(GlossaryTermItem).describe('The terms, best match first.'),
    total: z.number().describe('Number of all matches.'),
    matched: z.enum(['all', 'any']).describe('Whether all searched words occur, or only some.').optional(),
  }),
  run: ({ search, category, includeInactive = false, limit = 100, offset = 0 }, context) =>
    context.read((reader) => {
      const { terms, ...found } = searchPage(
        search,
        (match) => listTerms(reader, { category, match, includeInactive }, { limit, offset }),
        { terms: [], total: 0 },
      )
      return { items: terms.map((term) => withReview(reader, toGlossaryTermItem(term))), ...found }
    }),
  render: ({ items, total }) => [
    line`${items.length} of ${total} terms`,
    ...items.map((term) => {
      const also = term.synonyms.length === 0 ? line`` : line` (also: ${showNames(term.synonyms)})`
      const name = line`${showCode(term.slug)}: ${showName(term.displayName)}${also}${showTags(term)}`
      return line`${name}. ${showSentence(term.description)} ${showJson(term.filterMapping)}`
    }),
  ],
})

const createGlossaryTerm = operation({
  name: 'create_glossary_term',
  title: 'Create glossary term',
  summary: 'Create a business term that covers the findings matching its filterMapping.',
  effect: 'write',
  changes: { kind: 'terms', list: true },
  consent: 'none',
  scope: 'author',
  route: 'POST /semantic/glossary',
  status: 201,
  location: ({ slug }) => `/semantic/glossary/${slug}`,
  toolset: 'admin',
  texts: 'own',
  impact: 'get_term_impact',
  input: CreateGlossaryTerm,
  output: TermAnswer,
  run: (input, context) =>
    context.store.write(
      (writer) => {
        const term = createTerm(writer, input, authorOf(context))
        return { ...withReview(writer, toGlossaryTerm(term)), ...toTermWarnings(writer, term.filterMapping) }
      },
      { durable: true },
    ),
})

const previewGlossaryTerm = operation({
  name: 'preview_glossary_term',
  title: 'Preview glossary term',
  summary: 'Count the findings of every status that a term matches now.',
  effect: 'read',
  cost: 'computed',
  scope: 'read',
  route: 'POST /semantic/glossary/{slug}/preview',
  toolset: 'admin',
  texts: 'own',
  input: z.strictObject({ slug: TermName }),
  output: z.object({ count: z.number().describe('Number of matching findings.') }),
  run: ({ slug }, context) =>
    context.read((reader) => ({ count: countFindings(reader, getTerm(reader, slug).filterMapping, context.now()) })),
})

export const glossaryOperations: readonly Operation[] = [listGlossaryTerms, createGlossaryTerm, previewGlossaryTerm]

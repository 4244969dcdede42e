import { z } from 'zod'
import { severities } from '../detectors/detector.ts'
import { listPolicies, type SlaPolicy } from '../findings/sla.store.ts'
import { toInstant } from '../kernel/instant.ts'
import { authorOf } from '../operation/author.ts'
import { ownText } from '../operation/lockdown/disclosure.ts'
import { type Operation, operation } from '../operation/operation.ts'
import { MAX_POLICIES, replacePolicies, SlaPolicyInput } from './sla.ts'

const Days = z.object(
  Object.fromEntries(severities.map((name) => [name, z.number().describe(`Days of ${name}.`).optional()])),
)

const SlaPolicies = z.object({
  policies: z
    .array(
      z.object({
        glossaryTermSlug: ownText().nullable().describe('The findings of this term; null: all findings.'),
        days: Days.describe('Days from the first detection to the due date, by severity.'),
        updatedAt: ownText().describe('Last changed.'),
      }),
    )
    .describe('The policies; of several that fit a finding, the fewest days count.'),
})

const toView = ({ termSlug, days, updatedAt }: SlaPolicy) => ({
  glossaryTermSlug: termSlug,
  days,
  updatedAt: toInstant(updatedAt),
})

export const slaOperations: readonly Operation[] = [
  operation({
    name: 'get_sla',
    title: 'Get due date policies',
    summary: 'List the policies by which findings are due.',
    effect: 'read',
    scope: 'read',
    route: 'GET /semantic/sla',
    input: z.strictObject({}),
    output: SlaPolicies,
    run: (_, context) => context.read((reader) => ({ policies: listPolicies(reader).map(toView) })),
  }),

  operation({
    name: 'set_sla',
    title: 'Set due date policies',
    summary: 'Replace the policies by which findings are due; due dates and metrics follow at once.',
    effect: 'write',
    scope: 'author',
    route: 'PUT /semantic/sla',
    idempotent: true,
    consent: 'none',
    input: z.strictObject({
      policies: z
        .array(SlaPolicyInput)
        .max(MAX_POLICIES)
        .describe('All policies: at most one for all findings, and one for each term; an empty list removes them.'),
    }),
    output: SlaPolicies,
    run: ({ policies }, context) =>
      context.store.write(
        (writer) => {
          replacePolicies(writer, policies, authorOf(context))
          return { policies: listPolicies(writer).map(toView) }
        },
        { durable: true },
      ),
  }),
]

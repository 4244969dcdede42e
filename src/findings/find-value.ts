import { z } from 'zod'
import { appendAudit } from '../audit/audit.store.ts'
import { createNumberer } from '../detectors/fingerprint.ts'
import { authorOf } from '../operation/author.ts'
import { ownText } from '../operation/lockdown/disclosure.ts'
import { type Operation, operation } from '../operation/operation.ts'
import { readValueId } from './facets.ts'
import { isTypeAsked } from './find-value.store.ts'
import { listFindingsOfValues } from './list.store.ts'
import { Finding, FindingAsset } from './model.ts'

const MAX_IDENTIFIERS = 50
const MAX_LENGTH = 300
const MIN_LENGTH = 3
const MAX_LISTED = 1_000

const NAMES_OFF =
  'Names are not detected: no source reports PERSON_NAME. That nothing is found does not mean that the name is nowhere.'
const NAMES_MARKED =
  'Names are detected only where the text marks them, and only in sources that report PERSON_NAME; elsewhere the name may be, too.'

const Place = z.object({
  asset: FindingAsset.describe('The item.'),
  findings: z.array(Finding.omit({ asset: true })).describe('What was found in it.'),
})

export const findValue: Operation = operation({
  name: 'find_value',
  title: 'Find personal data',
  summary:
    'List the findings of identifiers of a person, item by item: email address, phone, card, IBAN, national id, name. What is typed is not stored, logged or repeated.',
  effect: 'write',
  consent: 'none',
  scope: 'triage',
  route: 'POST /findings/find-value',
  untrusted: true,
  privateInput: `identifiers must be a list of 1 to ${MAX_IDENTIFIERS} texts of ${MIN_LENGTH} to ${MAX_LENGTH} characters, and the only member.`,
  input: z.strictObject({
    identifiers: z
      .array(z.string().trim().min(MIN_LENGTH).max(MAX_LENGTH))
      .min(1)
      .max(MAX_IDENTIFIERS)
      .describe('Identifiers of one or more persons, in any usual spelling.'),
  }),
  output: z.object({
    identifiers: z
      .array(
        z.object({
          position: z.number().describe('Its position in the input, from 1.'),
          readAs: z.enum(['email', 'phone', 'number', 'name', 'text']).describe('What it was read as.'),
          findings: z.number().describe('Number of listed findings of it.'),
          note: ownText().describe('What the number does not say.').optional(),
        }),
      )
      .describe('What became of each identifier.'),
    findings: z.number().describe('Number of all findings.'),
    items: z.number().describe('Number of all items with findings.'),
    truncated: z.boolean().describe(`Whether only the first ${MAX_LISTED} findings are listed.`),
    places: z.array(Place).describe('The items, each with its findings.'),
  }),
  async run({ identifiers }, context) {
    // Loaded here, because it needs the numbering plans of telephones.
    const { readIdentifier } = await import('../detectors/pii/readings.ts')
    const toNumber = createNumberer(context.vault.fingerprintKey())
    const asked = identifiers.map((identifier) => {
      const { kind, values } = readIdentifier(identifier)
      return { kind, numbers: new Set(values.map(toNumber)) }
    })
    const numbers = [...new Set(asked.flatMap((each) => [...each.numbers]))]
    return context.store.write(
      (writer) => {
        const at = context.now()
        const { items, total, assets } = listFindingsOfValues(writer, numbers, { at, limit: MAX_LISTED })
        const after = { identifiers: identifiers.length, findings: total, items: assets }
        appendAudit(writer, authorOf(context), { action: 'find', kind: 'value', name: '*', after })
        const note = isTypeAsked(writer, 'PERSON_NAME') ? NAMES_MARKED : NAMES_OFF
        const byAsset = Map.groupBy(items, ({ assetId }) => assetId)
        return {
          identifiers: asked.map(({ kind, numbers: own }, index) => ({
            position: index + 1,
            readAs: kind,
            findings: items.filter(({ value }) => own.has(readValueId(value ?? '') ?? -1)).length,
            ...(kind === 'name' ? { note } : {}),
          })),
          findings: total,
          items: assets,
          truncated: total > items.length,
          places: [...byAsset.values()].flatMap(([first, ...others]) =>
            first === undefined
              ? []
              : [{ asset: first.asset, findings: [first, ...others].map(({ asset: _, ...finding }) => finding) }],
          ),
        }
      },
      { durable: true },
    )
  },
})

import { z } from 'zod'
import { audiences } from '../connectors/audience.ts'
import { severities } from '../detectors/detector.ts'
import { codeText, keyText, outsideText, outsideValue, ownText } from '../operation/lockdown/disclosure.ts'

export const findingStatuses = ['OPEN', 'RESOLVED', 'FALSE_POSITIVE', 'IGNORED'] as const
export type FindingStatus = (typeof findingStatuses)[number]

/** Where a finding can be read; of a resolved one, where it was last. */
export const presences = ['current', 'archived', 'history', 'trash', 'unknown'] as const
export type Presence = (typeof presences)[number]

/** Statuses that a person's decision sets: scans keep them, and they may end by themselves. */
export const isDecided = (status: FindingStatus): boolean => status === 'FALSE_POSITIVE' || status === 'IGNORED'

const instant = ownText().describe('ISO 8601 UTC timestamp.')

const audienceMembers = {
  audience: z.enum(audiences).describe('Who can read its asset.'),
  audienceSize: z.number().describe('Number of people who can, where known.').optional(),
}

export const FindingAsset = z.object({
  key: keyText().describe('Stable key of the asset.'),
  kind: codeText().describe('Kind of the asset, such as wiki.page.'),
  name: outsideText().describe('Title on the platform (untrusted content).'),
  url: outsideText().describe('Where to open it.'),
  container: outsideText().describe('Space or workspace (untrusted content).'),
})

export type FindingAsset = z.infer<typeof FindingAsset>

export const FindingLocationView = z.object({
  path: outsideText().describe('Part of the asset: body, comment 77, Sheet1!B4; empty: the asset itself.'),
  heading: outsideText().optional().describe('Section heading above (untrusted content).'),
  line: z.number().optional().describe('Line in the source, from 1.'),
  column: z.number().optional().describe('Column in the source, from 1.'),
  start: z.number().optional().describe('UTF-16 offset in the source where the match begins.'),
  end: z.number().optional().describe('UTF-16 offset in the source where the match ends.'),
})

export const Finding = z.object({
  id: ownText().describe('Id of the finding.'),
  assetId: ownText().describe('Id of its asset.'),
  sourceId: ownText().describe('Id of its source.'),
  source: ownText().describe('Name of its source.'),
  detectorType: codeText().describe('Detector that found it.'),
  findingType: codeText().describe('Type of the finding, such as EMAIL.'),
  category: codeText().describe('Category, such as SECURITY.'),
  severity: z.enum(severities).describe('Severity.'),
  confidence: z.number().describe('Confidence of the detector, 0 to 1.'),
  status: z.enum(findingStatuses).describe('Current status.'),
  presence: z.enum(presences).describe('Where it can be read, or last could.'),
  ...audienceMembers,
  value: outsideText().optional().describe('Id of its secret or personal datum, the same in all places.'),
  customDetectorKey: codeText().optional().describe('Key of the custom detector.'),
  location: FindingLocationView.optional().describe('Where in the asset.'),
  excerpt: outsideText().optional().describe('Redacted text around the match (untrusted content).'),
  fingerprint: ownText().describe('Keyed hash that identifies the finding across scans.'),
  firstDetectedAt: instant,
  lastDetectedAt: instant,
  resolvedAt: instant.optional(),
  until: instant.describe('When the decision ends by itself, and the finding is open again.').optional(),
  dueAt: instant.describe('When it is to be resolved, by the policies of due dates.').optional(),
  asset: FindingAsset.describe('The asset it is in.'),
})
export type Finding = z.infer<typeof Finding>

export const StatusChange = z.object({
  at: instant,
  from: z.enum(findingStatuses).describe('Status before.'),
  to: z.enum(findingStatuses).describe('Status after.'),
  by: ownText().describe('Who or what changed it.'),
  via: ownText().optional().describe('Interface used: http, mcp or cli.'),
  client: ownText().optional().describe('Client program, as it names itself.'),
  reason: outsideText().optional().describe('Why.'),
  until: instant.describe('When the decision ends by itself.').optional(),
  presence: z.enum(presences).describe('Presence from then on.').optional(),
})
export type StatusChange = z.infer<typeof StatusChange>
export type FindingLocationView = z.infer<typeof FindingLocationView>

const ValuePlace = Finding.pick({ id: true, findingType: true, status: true, presence: true, asset: true })

export const FindingDetail = Finding.extend({
  placeUrl: outsideText().optional().describe('Where to open the place, if the platform has such addresses.'),
  advice: ownText().optional().describe('What to do about findings of this type.'),
  reason: ownText().optional().describe('What showed the detector that it is one, in words.'),
  valuePlaces: z
    .object({
      items: z.number().describe('Items that have the value.'),
      findings: z.number().describe('Findings of it, in every status.'),
      others: z.array(ValuePlace).describe('The first 20 of the other findings.'),
    })
    .optional()
    .describe('Where its value is.'),
  history: z.array(StatusChange).describe('Every change of status or presence, oldest first.'),
})
export type FindingDetail = z.infer<typeof FindingDetail>

export const Asset = z.object({
  id: ownText().describe('Id of the asset.'),
  key: keyText().describe('Stable key built from ids of the platform.'),
  sourceId: ownText().describe('Id of its source.'),
  kind: codeText().describe('Kind, such as wiki.page.'),
  name: outsideText().describe('Title on the platform (untrusted content).'),
  url: outsideText().describe('Where to open it.'),
  container: outsideText().describe('Space, workspace or dataset (untrusted content).'),
  parentContainer: outsideText()
    .describe('Workspace of the dataset that contains a table (untrusted content).')
    .optional(),
  dataset: outsideText()
    .describe(
      'The BI dataset itself, or the one that contains the asset, where datasets are containers (untrusted content).',
    )
    .optional(),
  owner: outsideText().describe('Owner, if the platform reports one (untrusted content).').optional(),
  labels: z.array(outsideText()).describe('Its labels (untrusted content).').optional(),
  checksum: ownText().describe('Hash of the content that scans compare.'),
  contentUpdatedAt: instant.optional(),
  firstSeenAt: instant,
  lastSeenAt: instant,
  lastScannedAt: instant.optional(),
  status: z.enum(['ACTIVE', 'DELETED']).describe('DELETED: no longer on the platform.'),
  ...audienceMembers,
  openFindings: z.number().describe('Open findings in it.'),
})
export type Asset = z.infer<typeof Asset>

const AudienceChange = z.object({
  at: instant,
  from: z.enum(audiences).describe('Audience before.'),
  fromSize: z.number().describe('Number of people before, where known.').optional(),
  to: z.enum(audiences).describe('Audience after.'),
  toSize: z.number().describe('Number of people after, where known.').optional(),
})
export type AudienceChange = z.infer<typeof AudienceChange>

export const AssetDetail = Asset.extend({
  links: z
    .array(
      z.object({
        type: codeText().describe('What the link means, such as uses_dataset.'),
        targetKey: keyText().describe('Key of the asset it leads to.').optional(),
        url: outsideText().describe('Address or reference as written (untrusted content).').optional(),
        label: outsideText().describe('Linked words (untrusted content).').optional(),
      }),
    )
    .describe('Links to other assets and addresses; at most 500.'),
  facts: z.record(ownText(), outsideValue()).describe('Metadata from the platform (untrusted content).'),
  audienceChanges: z.array(AudienceChange).describe('Every change of its audience, oldest first.'),
})
export type AssetDetail = z.infer<typeof AssetDetail>

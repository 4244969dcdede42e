import { z } from 'zod'
import { assetKinds } from '../connectors/connector.ts'
import { Rule } from '../detectors/custom/rule.ts'
import { severities } from '../detectors/detector.ts'
import { DetectorTypeName } from '../findings/facets.ts'

const instant = z.string().describe('ISO 8601 UTC timestamp.')
const text = (longest: number) => z.string().max(longest)

export const DetectorKey = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be lower-case words joined by hyphens.')
  .describe('Stable key, used by terms in customDetectorKeys. It never changes.')

export const Example = z
  .union([
    text(20_000),
    z.strictObject({
      text: text(20_000).describe('The text of the asset.').optional(),
      column: text(500).describe('Name of a column.').optional(),
      name: text(500).describe('Title of the asset.').optional(),
      kind: text(100).describe('Kind of the asset.').optional(),
      container: text(500).describe('Space or workspace.').optional(),
      owner: text(500).describe('Owner.').optional(),
      url: text(2_000).describe('Address.').optional(),
      labels: z.array(text(200)).max(50).describe('Labels.').optional(),
      contentUpdatedAt: text(40).describe('When it was last edited, ISO 8601.').optional(),
    }),
  ])
  .describe('A text, or an asset with the fields that the rule reads.')
export type Example = z.infer<typeof Example>

const names = (description: string) => z.array(z.string().min(1).max(500)).min(1).max(100).describe(description)

const DisplayName = z.string().trim().min(1).max(200).describe('Display name.')
const Description = text(2_000).describe('What it finds and why.')
const Enabled = z.boolean().describe('Whether scans run it.')

export const DetectorDefinition = z
  .strictObject({
    findingType: DetectorTypeName.describe('Type of its findings; default: the key in upper case.').optional(),
    category: z.string().trim().min(1).max(64).default('CUSTOM').describe('Category of its findings.'),
    severity: z.enum(severities).default('MEDIUM').describe('Severity of its findings.'),
    confidence: z.number().min(0.5).max(1).default(0.8).describe('Confidence of its findings, 0.5 to 1.'),
    sources: names('Only these sources, by name or id.').optional(),
    sourceTypes: names('Only sources of these types.').optional(),
    assetKinds: z
      .array(z.enum(assetKinds))
      .min(1)
      .max(assetKinds.length)
      .describe('Only assets of these kinds.')
      .optional(),
    containers: names('Only these spaces or workspaces.').optional(),
    rule: Rule,
    examples: z
      .strictObject({
        match: z.array(Example).min(1).max(50).describe('Texts that it must match.'),
        noMatch: z.array(Example).min(1).max(50).describe('Texts that it must not match.'),
      })
      .describe('Run each time the detector is saved.'),
  })
  .describe('The rule, the assets that it applies to, and examples.')
export type DetectorDefinition = z.infer<typeof DetectorDefinition>

export const CreateCustomDetector = z.strictObject({
  key: DetectorKey,
  displayName: DisplayName,
  description: Description.default(''),
  enabled: Enabled.default(true),
  definition: DetectorDefinition,
})
export type CreateCustomDetector = z.infer<typeof CreateCustomDetector>

/** The editable members of a stored detector; a definition is replaced as a whole. */
export const CustomDetectorChange = z.strictObject({
  displayName: DisplayName.optional(),
  description: Description.optional(),
  enabled: Enabled.optional(),
  definition: DetectorDefinition.optional(),
})
export type CustomDetectorChange = z.infer<typeof CustomDetectorChange>

export const CustomDetectorItem = z.object({
  key: z.string().describe('Stable key.'),
  displayName: z.string().describe('Display name.'),
  description: z.string().describe('What it finds and why.'),
  enabled: Enabled,
  findingType: z.string().describe('Type of its findings.'),
  severity: z.enum(severities).describe('Severity of its findings.'),
  version: z.number().describe('Incremented by every change of the definition.'),
})

export const CustomDetector = CustomDetectorItem.extend({
  id: z.string().describe('Id of the detector.'),
  definition: DetectorDefinition,
  createdAt: instant,
  updatedAt: instant,
})
export type CustomDetector = z.infer<typeof CustomDetector>

/** A definition with all defaults filled in. */
export type CompleteDefinition = DetectorDefinition & { findingType: string }

/** A custom detector as stored; times in milliseconds. */
export interface CustomDetectorRecord {
  id: number
  uid: string
  key: string
  displayName: string
  description: string
  enabled: boolean
  definition: CompleteDefinition
  version: number
  createdAt: number
  updatedAt: number
}

export function toCustomDetectorItem(record: CustomDetectorRecord): z.infer<typeof CustomDetectorItem> {
  const { key, displayName, description, enabled, version, definition } = record
  const { findingType, severity } = definition
  return { key, displayName, description, enabled, findingType, severity, version }
}

export function toCustomDetector(record: CustomDetectorRecord): CustomDetector {
  return {
    ...toCustomDetectorItem(record),
    id: record.uid,
    definition: record.definition,
    createdAt: new Date(record.createdAt).toISOString(),
    updatedAt: new Date(record.updatedAt).toISOString(),
  }
}

export function toWhole(key: string, definition: DetectorDefinition): CompleteDefinition {
  const {
    findingType = key
      .replaceAll('-', '_')
      .toUpperCase()
      .replace(/^(?=\d)/, 'CUSTOM_'),
    ...rest
  } = definition
  return { ...rest, findingType }
}

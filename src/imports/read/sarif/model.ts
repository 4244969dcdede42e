import { z } from 'zod'
import { ImportLine } from '../import-line.ts'

export const SarifLevel = z.enum(['none', 'note', 'warning', 'error'], 'must be none, note, warning or error.')
export type SarifLevel = z.infer<typeof SarifLevel>

/** Kinds of results that mean that a rule was checked and found nothing. */
const nothingFound = ['pass', 'notApplicable', 'informational'] as const
const kinds = ['fail', 'review', 'open', ...nothingFound] as const

const index = z.int().optional()
const text = z.string().optional()
const Score = z.union([z.string(), z.number()]).optional()

export const ArtifactLocation = z.object({ uri: text, uriBaseId: text, index })
export type ArtifactLocation = z.infer<typeof ArtifactLocation>

const ToolComponentReference = z.object({ name: text, index, guid: text })
export type ToolComponentReference = z.infer<typeof ToolComponentReference>
export const RuleReference = z.object({
  id: text,
  index,
  guid: text,
  toolComponent: ToolComponentReference.optional(),
})
export type RuleReference = z.infer<typeof RuleReference>

export const SarifRule = z.object({
  id: text,
  guid: text,
  properties: z.object({ 'security-severity': Score }).optional(),
  defaultConfiguration: z.object({ level: SarifLevel.optional() }).optional(),
  messageStrings: z.record(z.string(), z.unknown()).optional(),
})
export type SarifRule = z.infer<typeof SarifRule>

const Message = z.object({ text, markdown: text, id: text, arguments: z.array(z.string()).optional() })
export type Message = z.infer<typeof Message>

const offset = z.number().optional()
const Location = z.object({
  physicalLocation: z
    .object({
      artifactLocation: ArtifactLocation.optional(),
      region: z
        .object({
          startLine: offset,
          startColumn: offset,
          endLine: offset,
          endColumn: offset,
          charOffset: offset,
          charLength: offset,
          byteOffset: offset,
          byteLength: offset,
          snippet: z.object({ text }).optional(),
        })
        .optional(),
    })
    .optional(),
  logicalLocations: z.array(z.object({ name: text, fullyQualifiedName: text, index })).optional(),
})
const Fingerprints = z.record(z.string(), z.unknown())
export type Fingerprints = z.infer<typeof Fingerprints>

/** The members of a result that are used. */
export const SarifResult = z.object({
  ruleId: text,
  ruleIndex: index,
  rule: RuleReference.optional(),
  kind: z.enum(kinds, 'must be fail, pass, open, review, notApplicable or informational.').optional(),
  level: SarifLevel.optional(),
  message: Message.optional(),
  baselineState: z
    .enum(['new', 'unchanged', 'updated', 'absent'], 'must be new, unchanged, updated or absent.')
    .optional(),
  analysisTarget: ArtifactLocation.optional(),
  locations: z.array(Location).optional(),
  fingerprints: Fingerprints.optional(),
  partialFingerprints: Fingerprints.optional(),
  suppressions: z.array(z.object({ status: text })).optional(),
  provenance: z
    .object({
      firstDetectionTimeUtc: text,
      lastDetectionTimeUtc: text,
      invocationIndex: index,
    })
    .optional(),
  properties: z
    .object({
      'security-severity': Score,
      hasExcerpt: z.unknown().optional(),
      ...Object.fromEntries(Object.keys(ImportLine.shape).map((name) => [name, z.unknown().optional()])),
    })
    .optional(),
})
export type SarifResult = z.infer<typeof SarifResult>

const unchecked = z.unknown().optional()

/** The members of a run that are used. Their items are checked where one is used. */
export const SarifRun = z.object({
  tool: z.object({ driver: z.looseObject({ name: z.string() }), extensions: unchecked }),
  invocations: unchecked,
  artifacts: unchecked,
  logicalLocations: unchecked,
  originalUriBaseIds: unchecked,
  versionControlProvenance: unchecked,
  automationDetails: unchecked,
  /** Without its items. */
  results: unchecked,
})
export type SarifRun = z.infer<typeof SarifRun>

export const Invocation = z.object({
  startTimeUtc: text,
  endTimeUtc: text,
  executionSuccessful: unchecked,
  ruleConfigurationOverrides: unchecked,
})
export type Invocation = z.infer<typeof Invocation>

/** Whether a result, of which nothing has been checked, says that there is nothing to report. */
export const findsNothing = ({ kind }: Record<string, unknown>): boolean => nothingFound.some((known) => known === kind)

import { z } from 'zod'
import { ImportLine } from '../../src/imports/read/import-line.ts'
import { ArtifactLocation, Invocation, SarifResult, SarifRule, SarifRun } from '../../src/imports/read/sarif/model.ts'
import type { MarkedPlantings } from '../support/marked-plantings.ts'
import { addressing, toJsonSchema } from './planted-tenant.ts'

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Values that are read as something else than text; anything else in their place is refused or left out. */
const fixed: Readonly<Record<string, string | undefined>> = {
  'security-severity': '7.5',
  level: undefined,
  kind: undefined,
  baselineState: undefined,
  status: undefined,
}

/** They become finding types, which are bounded. */
const ruleIds = new Set(['sarif result.ruleId', 'sarif result.rule.id', 'sarif rule.id'])
const MAX_RULE_ID = 200

interface Planting {
  format: string
  plantings: MarkedPlantings
}

/** A value of the schema with a text planted wherever it takes one. */
function plantSchema(schema: Json, planting: Planting, path: string): unknown {
  const { type, format, enum: words, properties, items, additionalProperties: rest, pattern } = schema
  const { anyOf, const: only } = schema
  const member = path.split('.').at(-1) ?? ''
  const { plantings } = planting
  const take = (credentialsOnly: boolean, maxLength?: number) =>
    plantings.take(`${planting.format} ${path}`, { credentialsOnly, ...(maxLength === undefined ? {} : { maxLength }) })
  if (only !== undefined) return only
  if (path.startsWith('sarif') && member in fixed) return fixed[member]
  if (Array.isArray(words)) return words[0]
  if (Array.isArray(anyOf)) return plantSchema(anyOf[0] as Json, planting, path)
  if (type === 'object' && isObject(rest)) {
    const value = plantings.take(`${planting.format} ${path}, value`, { credentialsOnly: true })
    return { [take(true)]: value }
  }
  if (type === 'object') {
    const members = Object.entries((properties ?? {}) as Record<string, Json>)
    return Object.fromEntries(members.map(([name, below]) => [name, plantSchema(below, planting, `${path}.${name}`)]))
  }
  if (type === 'array') return [plantSchema(items as Json, planting, path)]
  if (type === 'integer') return 0
  if (type === 'number') return 0.5
  if (type !== 'string') return null
  if (format === 'date-time' || /Utc$/.test(member)) return '2026-06-01T00:00:00Z'
  if (pattern !== undefined) return 'PLANTED'
  // What is cut is no credential any more.
  const text = take(addressing.test(member), Number(schema.maxLength ?? (ruleIds.has(path) ? MAX_RULE_ID : 4000)))
  return member === 'url' ? `https://x.example/${encodeURIComponent(text)}` : text
}

const line = toJsonSchema(ImportLine)
const result = toJsonSchema(SarifResult)
const run = toJsonSchema(SarifRun)
const parts = {
  artifact: ArtifactLocation,
  invocation: Invocation,
  rule: SarifRule,
  name: z.object({ uri: z.string(), text: z.string() }),
}
const schemas = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, toJsonSchema(part)]))

interface Import {
  format: 'ndjson' | 'sarif'
  text: string
}

function makeLine(planting: Planting): string {
  const { resolvedAt: _, ...open } = plantSchema(line, planting, 'line') as Json
  return JSON.stringify({ ...open, status: 'OPEN' })
}

function makeRun(planting: Planting): unknown {
  const plant = (part: keyof typeof parts) => plantSchema(schemas[part] as Json, planting, `sarif ${part}`) as Json
  return {
    ...(plantSchema(run, planting, 'sarif run') as Json),
    tool: {
      driver: { name: plant('name').text, rules: [plant('rule')], globalMessageStrings: { id: plant('name') } },
    },
    invocations: [{ ...plant('invocation'), ruleConfigurationOverrides: [] }],
    artifacts: [{ location: plant('artifact') }],
    originalUriBaseIds: { BASE: plant('name') },
    versionControlProvenance: [{ repositoryUri: plant('name').uri }],
    results: [plantSchema(result, planting, 'sarif result')],
  }
}

/** Imports in which each free text is planted `count` times. */
export function makeImports(plantings: MarkedPlantings, count: number): Import[] {
  const times = <T>(make: () => T) => Array.from({ length: count }, make)
  return [
    { format: 'ndjson', text: times(() => makeLine({ format: 'ndjson', plantings })).join('\n') },
    {
      format: 'sarif',
      text: JSON.stringify({ version: '2.1.0', runs: times(() => makeRun({ format: 'sarif', plantings })) }),
    },
  ]
}

/** Imports that are refused for what is planted in them. */
export function makeRefusedImports(plantings: MarkedPlantings): Import[] {
  const takeFor = (field: string) => plantings.take(field, { credentialsOnly: true })
  const line = JSON.parse(makeLine({ format: 'ndjson', plantings })) as Json
  return [
    ...['severity', 'detectorType', 'status', 'firstDetectedAt'].map((member) => ({
      format: 'ndjson' as const,
      text: JSON.stringify({ ...line, [member]: takeFor(`ndjson, ${member}`) }),
    })),
    { format: 'ndjson', text: JSON.stringify({ [takeFor('ndjson, a member')]: 1 }) },
    { format: 'ndjson', text: takeFor('ndjson, no JSON') },
    { format: 'sarif', text: JSON.stringify({ version: takeFor('sarif, version'), runs: [] }) },
  ]
}

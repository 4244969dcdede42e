import { z } from 'zod'
import type { AssetFacts, Detector, Match } from '../detector.ts'
import { type CompiledRule, compileRule } from './evaluate.ts'
import { CustomDefinition } from './rule.ts'

const CustomRun = z.strictObject({ definitions: z.array(CustomDefinition).default([]) })

/** Settings in a source's payload: which of the installation's custom detectors apply to it. */
export const CustomConfig = z.strictObject({
  keys: z
    .array(z.string().min(1).max(64))
    .max(500)
    .describe('Keys of the custom detectors that run on this source; default: all that are enabled.')
    .optional(),
})
export type CustomConfig = z.infer<typeof CustomConfig>

const KEPT = 200
const compiled = new Map<string, CompiledRule>()

/** Compiled rules are cached, because they are passed with every document. */
function prepare(definition: CustomDefinition): CompiledRule {
  const text = JSON.stringify(definition.rule)
  const known = compiled.get(text)
  if (known !== undefined) return known
  const rule = compileRule(definition.rule)
  const [oldest] = compiled.keys()
  if (compiled.size >= KEPT && oldest !== undefined) compiled.delete(oldest)
  compiled.set(text, rule)
  return rule
}

const appliesTo = ({ assetKinds, containers }: CustomDefinition, { kind, container = '' }: AssetFacts) =>
  (assetKinds?.includes(kind) ?? true) && (containers?.includes(container) ?? true)

/** Runs user-defined rules, which are stored in the database and passed in with the configuration. */
export const customDetector: Detector<z.infer<typeof CustomRun>> = {
  type: 'CUSTOM',
  title: 'Custom detectors',
  description:
    'Finds what the rules of this installation define: keyword lists, patterns, column names, facts about an asset, and combinations of them. Patterns run in linear time; lookaround and back-references are not supported.',
  category: 'CUSTOM',
  version: 1,
  reads: 'documents',
  config: CustomRun,
  settings: CustomConfig,
  findingTypes: [],
  *detect({ parts }, { config, asset, checkTime }) {
    for (const definition of config.definitions) {
      if (!appliesTo(definition, asset)) continue
      const { key, findingType, category, severity, confidence } = definition
      for (const hit of prepare(definition)(parts, asset, checkTime)) {
        const match: Match = { findingType, severity, confidence, category, customDetectorKey: key, rule: key, ...hit }
        yield match
      }
    }
  },
}

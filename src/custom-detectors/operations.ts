import { z } from 'zod'
import { FindingLocationView } from '../findings/model.ts'
import { invalidInput } from '../kernel/errors.ts'
import { quote, showNames } from '../kernel/shown.ts'
import { authorOf } from '../operation/author.ts'
import type { ReadContext } from '../operation/context.ts'
import { codeText, keyText, outsideText, ownText } from '../operation/lockdown/disclosure.ts'
import { type Operation, operation } from '../operation/operation.ts'
import { listLeftOut } from '../sources/config.ts'
import { IMPORT_TYPE, SourceRef, SourceWarning } from '../sources/model.ts'
import { installedPlugins } from '../sources/operations.ts'
import type { Plugins } from '../sources/plugins.ts'
import { getSource, listSources } from '../sources/sources.store.ts'
import type { Reader } from '../store/store.ts'
import { checkDefinition } from './checks.ts'
import { listCustomDetectors } from './custom.store.ts'
import {
  createCustomDetector,
  deleteCustomDetector,
  getCustomDetector,
  toDefinition,
  updateCustomDetector,
} from './lifecycle.ts'
import {
  CreateCustomDetector,
  CustomDetector,
  CustomDetectorChange,
  CustomDetectorItem,
  DetectorDefinition,
  Example,
  toCustomDetector,
  toCustomDetectorItem,
  toWhole,
} from './model.ts'
import { previewDetector } from './preview.ts'

/** The key of a previewed definition that is not stored. */
const UNSAVED_KEY = 'tried-out'

/** The type of the detector that runs them. */
const CUSTOM = 'CUSTOM'

const KeyInPath = z.string().min(1).max(64).describe('Key or id of the custom detector.')

export function createCustomOperations(plugins: Plugins): readonly Operation[] {
  const ChangedDetector = CustomDetector.extend({
    warnings: z.array(SourceWarning).describe('Sources whose scans do not run it.').optional(),
  })
  const withWarnings = (reader: Reader, detector: CustomDetector) => {
    const names = listSources(reader).flatMap(({ name, type, config }) =>
      listLeftOut(plugins, { ...config, type }).includes(CUSTOM) ? [name] : [],
    )
    if (names.length === 0 || !detector.enabled) return detector
    const message = `Scans of ${showNames(names)} do not run it: their list of detectors leaves out ${CUSTOM}.`
    return { ...detector, warnings: [{ code: 'not_run' as const, message }] }
  }

  return [
    operation({
      name: 'list_custom_detectors',
      title: 'List custom detectors',
      summary: 'List the detectors defined in this installation, by key.',
      effect: 'read',
      isRevalidated: true,
      scope: 'read',
      route: 'GET /custom-detectors',
      texts: 'own',
      input: z.strictObject({}),
      output: z.object({
        items: z.array(CustomDetectorItem).describe('The detectors.'),
        total: z.number().describe('Number of detectors.'),
      }),
      run: (_, context) =>
        context.read((reader) => {
          const items = listCustomDetectors(reader).map(toCustomDetectorItem)
          return { items, total: items.length }
        }),
    }),

    operation({
      name: 'get_custom_detector',
      title: 'Get custom detector',
      summary: 'Get one custom detector with its rule and examples.',
      effect: 'read',
      scope: 'read',
      route: 'GET /custom-detectors/{key}',
      texts: 'own',
      input: z.strictObject({ key: KeyInPath }),
      output: CustomDetector,
      run: ({ key }, context) => context.read((reader) => toCustomDetector(getCustomDetector(reader, key))),
    }),

    operation({
      name: 'create_custom_detector',
      title: 'Create custom detector',
      summary:
        'Save a rule that later scans run: keywords, RE2 patterns, columns, facts. Its examples are run at once.',
      effect: 'write',
      consent: 'none',
      scope: 'author',
      route: 'POST /custom-detectors',
      status: 201,
      location: ({ key }) => `/custom-detectors/${key}`,
      texts: 'own',
      input: CreateCustomDetector,
      output: ChangedDetector,
      run: (draft, context) =>
        context.store.write(
          (writer) => withWarnings(writer, toCustomDetector(createCustomDetector(writer, draft, authorOf(context)))),
          { durable: true },
        ),
    }),

    operation({
      name: 'update_custom_detector',
      title: 'Update custom detector',
      summary: 'Change the given fields; a definition is replaced as a whole, and its examples are run.',
      effect: 'write',
      consent: 'none',
      scope: 'author',
      route: 'PUT /custom-detectors/{key}',
      idempotent: true,
      texts: 'own',
      input: CustomDetectorChange.extend({ key: KeyInPath }),
      output: ChangedDetector,
      run: ({ key, ...change }, context) =>
        context.store.write(
          (writer) => {
            const before = getCustomDetector(writer, key)
            return withWarnings(
              writer,
              toCustomDetector(updateCustomDetector(writer, before, change, authorOf(context))),
            )
          },
          { durable: true },
        ),
    }),

    operation({
      name: 'delete_custom_detector',
      title: 'Delete custom detector',
      summary: 'Delete a custom detector; the next scans resolve its findings.',
      effect: 'write',
      consent: 'always',
      scope: 'author',
      route: 'DELETE /custom-detectors/{key}',
      destructive: true,
      texts: 'own',
      input: z.strictObject({ key: KeyInPath }),
      output: CustomDetector,
      affected: ({ key }, context) =>
        context.read((reader) => {
          const { displayName, definition } = toCustomDetector(getCustomDetector(reader, key))
          return [`${quote(displayName)} (${key}): ${JSON.stringify(definition)}`]
        }),
      run: ({ key }, context) =>
        context.store.write(
          (writer) => {
            const record = getCustomDetector(writer, key)
            deleteCustomDetector(writer, record, authorOf(context))
            return toCustomDetector(record)
          },
          { durable: true },
        ),
    }),

    operation({
      name: 'preview_custom_detector',
      title: 'Preview custom detector',
      summary:
        'Run a saved or a new detector over texts and some assets of a source and count its findings; stores nothing.',
      effect: 'read',
      runsOn: 'scan-thread',
      cost: 'computed',
      scope: 'admin',
      route: 'POST /custom-detectors/preview',
      openWorld: true,
      untrusted: true,
      reportsProgress: true,
      input: z.strictObject({
        key: KeyInPath.describe('A saved detector; omit definition then.').optional(),
        definition: DetectorDefinition.describe('A detector that is not saved yet; omit key then.').optional(),
        texts: z.array(Example).max(100).default([]).describe('Texts to run it on.'),
        source: SourceRef.describe('Source whose assets to run it on.').optional(),
        limit: z.int().min(1).max(200).default(50).describe('Number of assets of the source, at most 200.'),
      }),
      output: z.object({
        examined: z.number().describe('Number of texts and assets examined.'),
        matched: z.number().describe('Number of them with a finding.'),
        hits: z.number().describe('Number of findings.'),
        tooBroad: z
          .boolean()
          .describe('Whether more than half have a finding; absent if fewer than ten were examined.')
          .optional(),
        samples: z
          .array(
            z.object({
              asset: z
                .object({
                  key: keyText().describe('Key of the asset; example for a text.'),
                  kind: codeText().describe('Kind of the asset.'),
                  name: outsideText().describe('Title (untrusted content).'),
                  url: outsideText().describe('Where to open it.'),
                  container: outsideText().describe('Space or workspace (untrusted content).').optional(),
                })
                .describe('Where it was found.'),
              findingType: codeText().describe('Type of the finding.'),
              excerpt: outsideText().describe('Redacted text around the match (untrusted content).'),
              location: FindingLocationView.describe('Where in the asset.'),
            }),
          )
          .describe('Some findings, at most 20.'),
        warnings: z
          .array(
            z.object({
              code: ownText().describe('Code of the warning.'),
              message: outsideText().describe('What it means and what to do.'),
            }),
          )
          .describe('Warnings.'),
      }),
      run: async ({ key, definition, texts, source, limit }, context) => {
        const tried = choose(key, definition, context)
        if (texts.length === 0 && source === undefined) {
          throw invalidInput('Give texts or a source to run the detector on.', {
            issues: [{ path: 'texts', message: 'or source is needed.' }],
          })
        }
        const from = source === undefined ? undefined : context.read((reader) => getSource(reader, source))
        if (from?.type === IMPORT_TYPE) {
          throw invalidInput(
            `${quote(from.name)} contains imported findings and no text; name a source that is scanned.`,
          )
        }
        return previewDetector(tried, { texts, source: from, limit, plugins }, context)
      },
    }),
  ]
}

/** What to preview: a stored detector, or an unsaved definition. */
function choose(key: string | undefined, definition: DetectorDefinition | undefined, context: ReadContext) {
  if (key !== undefined && definition === undefined) {
    const kept = context.read((reader) => getCustomDetector(reader, key))
    return toDefinition(kept.key, kept.definition)
  }
  if (key !== undefined || definition === undefined) {
    throw invalidInput('Give either key (a saved detector) or definition (a new one).', {
      issues: [{ path: 'key', message: 'and definition cannot be combined; give exactly one of them.' }],
    })
  }
  checkDefinition(definition, 'definition')
  return toDefinition(UNSAVED_KEY, toWhole(UNSAVED_KEY, definition))
}

export const customOperations: readonly Operation[] = createCustomOperations(installedPlugins)

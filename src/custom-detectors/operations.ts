import { z } from 'zod'
import { FindingLocationView } from '../findings/model.ts'
import { invalidInput } from '../kernel/errors.ts'
import { quote } from '../kernel/shown.ts'
import { authorOf } from '../operation/author.ts'
import type { ReadContext } from '../operation/context.ts'
import { codeText, keyText, outsideText, ownText } from '../operation/lockdown/disclosure.ts'
import { type Operation, operation } from '../operation/operation.ts'
import { IMPORT_TYPE, SourceRef } from '../sources/model.ts'
import { installedPlugins } from '../sources/operations.ts'
import type { Plugins } from '../sources/plugins.ts'
import { getSource } from '../sources/sources.store.ts'
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
const UNKEPT = 'tried-out'

const KeyInPath = z.string().min(1).max(64).describe('Key or id of the custom detector.')

export function createCustomOperations(plugins: Plugins): readonly Operation[] {
  return [
    operation({
      name: 'list_custom_detectors',
      title: 'List custom detectors',
      summary: 'The detectors that people of this installation have written, by key.',
      effect: 'read',
      scope: 'read',
      route: 'GET /custom-detectors',
      texts: 'own',
      input: z.strictObject({}),
      output: z.object({
        items: z.array(CustomDetectorItem).describe('The detectors.'),
        total: z.number().describe('How many there are.'),
      }),
      run: (_, context) =>
        context.read((reader) => {
          const items = listCustomDetectors(reader).map(toCustomDetectorItem)
          return { items, total: items.length }
        }),
    }),

    operation({
      name: 'get_custom_detector',
      title: 'Get a custom detector',
      summary: 'One custom detector with its rule and examples.',
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
      title: 'Create a custom detector',
      summary:
        'Keeps a rule that later scans run: keywords, RE2 patterns, columns, facts. Its examples are tried at once.',
      effect: 'write',
      consent: 'none',
      scope: 'author',
      route: 'POST /custom-detectors',
      status: 201,
      location: ({ key }) => `/custom-detectors/${key}`,
      texts: 'own',
      input: CreateCustomDetector,
      output: CustomDetector,
      run: (draft, context) =>
        context.store.write((writer) => toCustomDetector(createCustomDetector(writer, draft, authorOf(context))), {
          durable: true,
        }),
    }),

    operation({
      name: 'update_custom_detector',
      title: 'Update a custom detector',
      summary: 'Changes what is given and leaves the rest; a definition is replaced whole, and its examples are tried.',
      effect: 'write',
      consent: 'none',
      scope: 'author',
      route: 'PUT /custom-detectors/{key}',
      idempotent: true,
      texts: 'own',
      input: CustomDetectorChange.extend({ key: KeyInPath }),
      output: CustomDetector,
      run: ({ key, ...change }, context) =>
        context.store.write(
          (writer) => {
            const before = getCustomDetector(writer, key)
            return toCustomDetector(updateCustomDetector(writer, before, change, authorOf(context)))
          },
          { durable: true },
        ),
    }),

    operation({
      name: 'delete_custom_detector',
      title: 'Delete a custom detector',
      summary: 'Removes a custom detector; what it found is resolved by the next scans.',
      effect: 'write',
      consent: 'always',
      scope: 'author',
      route: 'DELETE /custom-detectors/{key}',
      destructive: true,
      texts: 'own',
      input: z.strictObject({ key: KeyInPath }),
      output: CustomDetector,
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
      title: 'Try a custom detector out',
      summary:
        'Runs a kept or a new detector over texts and some assets of a source, counts what it finds, keeps nothing.',
      effect: 'read',
      cost: 'computed',
      scope: 'admin',
      route: 'POST /custom-detectors/preview',
      openWorld: true,
      untrusted: true,
      reportsProgress: true,
      input: z.strictObject({
        key: KeyInPath.describe('A kept detector; leave out definition then.').optional(),
        definition: DetectorDefinition.describe('One that is not kept yet; leave out key then.').optional(),
        texts: z.array(Example).max(100).default([]).describe('Texts to run it over.'),
        source: SourceRef.describe('Source whose assets to run it over.').optional(),
        limit: z.int().min(1).max(200).default(50).describe('How many assets of the source, at most 200.'),
      }),
      output: z.object({
        examined: z.number().describe('Texts and assets that were looked at.'),
        matched: z.number().describe('How many of them have a finding.'),
        hits: z.number().describe('Findings in all.'),
        tooBroad: z
          .boolean()
          .describe('Whether it finds something in more than half; absent below ten examined.')
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
              excerpt: outsideText().describe('Redacted surroundings (untrusted content).'),
              location: FindingLocationView.describe('Where in the asset.'),
            }),
          )
          .describe('Some findings, at most 20.'),
        warnings: z
          .array(
            z.object({
              code: ownText().describe('Which warning it is.'),
              message: outsideText().describe('What to know or do.'),
            }),
          )
          .describe('What a caller should know.'),
      }),
      run: async ({ key, definition, texts, source, limit }, context) => {
        const tried = choose(key, definition, context)
        if (texts.length === 0 && source === undefined) {
          throw invalidInput('Give texts or a source to try the detector on.', {
            issues: [{ path: 'texts', message: 'or source is needed.' }],
          })
        }
        const from = source === undefined ? undefined : context.read((reader) => getSource(reader, source))
        if (from?.type === IMPORT_TYPE) {
          throw invalidInput(`${quote(from.name)} holds imported findings and no text; name a source that is scanned.`)
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
    throw invalidInput('Give either key or definition: a kept detector, or one that is to be tried.', {
      issues: [{ path: 'key', message: 'and definition exclude each other; one is needed.' }],
    })
  }
  checkDefinition(definition, 'definition')
  return toDefinition(UNKEPT, toWhole(UNKEPT, definition))
}

export const customOperations: readonly Operation[] = createCustomOperations(installedPlugins)

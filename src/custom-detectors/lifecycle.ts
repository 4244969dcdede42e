import { isDeepStrictEqual } from 'node:util'
import { type Author, appendAudit } from '../audit/audit.store.ts'
import { CustomConfig, customDetector } from '../detectors/custom/index.ts'
import type { CustomDefinition } from '../detectors/custom/rule.ts'
import { conflict, notFound } from '../kernel/errors.ts'
import { quote } from '../kernel/shown.ts'
import { closest } from '../kernel/suggest.ts'
import type { ChosenDetector } from '../sources/config.ts'
import type { SourceRecord } from '../sources/model.ts'
import type { Reader, Writer } from '../store/store.ts'
import { checkDefinition } from './checks.ts'
import {
  findCustomDetector,
  insertCustomDetector,
  listCustomDetectors,
  removeCustomDetector,
  replaceCustomDetector,
} from './custom.store.ts'
import {
  type CompleteDefinition,
  type CreateCustomDetector,
  type CustomDetectorChange,
  type CustomDetectorRecord,
  toCustomDetector,
  toWhole,
} from './model.ts'

const KIND = 'custom_detector'

/**
 * Finds a custom detector by key or id.
 * @throws AppError `not_found` with the closest keys
 */
export function getCustomDetector(reader: Reader, name: string): CustomDetectorRecord {
  const found = findCustomDetector(reader, name)
  if (found !== undefined) return found
  const near = closest(name, listCustomDetectors(reader), ({ key }) => key)
  throw notFound(`There is no custom detector ${quote(name)}; list_custom_detectors shows them all.`, {
    ...(near.length === 0
      ? {}
      : {
          suggestions: near.map(({ key, displayName }) => ({
            value: key,
            kind: 'custom detector',
            label: displayName,
          })),
        }),
  })
}

/** @throws AppError `conflict` when the key is taken, `invalid_input` when the examples do not match as specified */
export function createCustomDetector(
  writer: Writer,
  { key, ...draft }: CreateCustomDetector,
  author: Author,
): CustomDetectorRecord {
  if (findCustomDetector(writer, key) !== undefined) {
    throw conflict(`A custom detector ${quote(key)} already exists; choose another key or update that one.`, {
      reason: 'key_taken',
    })
  }
  checkDefinition(draft.definition, 'definition')
  insertCustomDetector(writer, key, { ...draft, definition: toWhole(key, draft.definition), version: 1 }, author.at)
  const created = getCustomDetector(writer, key)
  appendAudit(writer, author, { action: 'create', kind: KIND, name: key, after: toCustomDetector(created) })
  return created
}

/** Changes the given members; a change without effect writes nothing. */
export function updateCustomDetector(
  writer: Writer,
  before: CustomDetectorRecord,
  change: CustomDetectorChange,
  author: Author,
): CustomDetectorRecord {
  const { displayName = before.displayName, description = before.description, enabled = before.enabled } = change
  const definition = change.definition === undefined ? before.definition : toWhole(before.key, change.definition)
  if (change.definition !== undefined) checkDefinition(change.definition, 'definition')
  const isRedefined = !isDeepStrictEqual(
    toDefinition(before.key, definition),
    toDefinition(before.key, before.definition),
  )
  const version = before.version + (isRedefined ? 1 : 0)
  const members = { displayName, description, enabled, definition, version }
  const { id, uid, key, createdAt, updatedAt, ...own } = before
  if (isDeepStrictEqual(members, own)) return before
  replaceCustomDetector(writer, id, members, author.at)
  const updated = getCustomDetector(writer, key)
  const [from, to] = [toCustomDetector(before), toCustomDetector(updated)]
  appendAudit(writer, author, { action: 'update', kind: KIND, name: key, before: from, after: to })
  return updated
}

/** Removes a detector; the next scan of each source resolves the detector's findings there. */
export function deleteCustomDetector(writer: Writer, record: CustomDetectorRecord, author: Author): void {
  removeCustomDetector(writer, record.id)
  appendAudit(writer, author, { action: 'delete', kind: KIND, name: record.key, before: toCustomDetector(record) })
}

/** The part of a definition that is needed to run the detector. */
export function toDefinition(key: string, whole: CompleteDefinition): CustomDefinition {
  const { examples: _, sources, sourceTypes, ...definition } = whole
  return { key, ...definition }
}

/** Adds the stored custom detectors to the settings of a source that has them enabled. */
export function completeDetectors(
  reader: Reader,
  chosen: readonly ChosenDetector[],
  source: Pick<SourceRecord, 'name' | 'uid' | 'type'>,
): ChosenDetector[] {
  return chosen.map((choice) => {
    if (choice.detector.type !== customDetector.type) return choice
    const { keys } = CustomConfig.parse(choice.config)
    const definitions = listCustomDetectors(reader)
      .filter((record) => record.enabled && (keys?.includes(record.key) ?? true) && appliesTo(record, source))
      .map((record) => toDefinition(record.key, record.definition))
    return { ...choice, config: { definitions } }
  })
}

function appliesTo(
  { definition: { sources, sourceTypes } }: CustomDetectorRecord,
  source: Pick<SourceRecord, 'name' | 'uid' | 'type'>,
): boolean {
  const named = sources?.some((name) => name.toLowerCase() === source.name.toLowerCase() || name === source.uid)
  return (named ?? true) && (sourceTypes?.includes(source.type) ?? true)
}

import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { appendAudit } from '../audit/audit.store.ts'
import { findProxy } from '../connectors/http/proxy.ts'
import { openSafeSession } from '../connectors/safe-session.ts'
import { createNumberer } from '../detectors/fingerprint.ts'
import { toSafeText } from '../detectors/safe-text.ts'
import { countBySource } from '../findings/counts.store.ts'
import { forgetHistory } from '../findings/earlier-versions.store.ts'
import { conflict } from '../kernel/errors.ts'
import { toInstant } from '../kernel/instant.ts'
import { isObject } from '../kernel/json-object.ts'
import { ownText } from '../kernel/safe-text.ts'
import { quote, showNames } from '../kernel/shown.ts'
import { authorOf } from '../operation/author.ts'
import type { WriteContext } from '../operation/context.ts'
import { type Operation, operation } from '../operation/operation.ts'
import type { Reader, Writer } from '../store/store.ts'
import { listConfigProblems, listLeftOut, parseConfig, toShownConfig, withoutSecrets } from './config.ts'
import { configJsonSchema } from './config-schema.ts'
import {
  HistoryModeInput,
  IMPORT_TYPE,
  Source,
  SourceName,
  type SourceRecord,
  SourceRef,
  SourceWarning,
  TestStep,
} from './model.ts'
import type { Plugins } from './plugins.ts'
import { nextRunAt } from './schedule.ts'
import { findTenantAddress, openConfig, sealSecrets, tenantAddressOf, updateConfig } from './secrets.ts'
import { findSource, getSource, insertSource, listSources, updateSource } from './sources.store.ts'

const nothing = { assets: 0, findings: 0, openFindings: 0 }

export function toSource(source: SourceRecord, counts = nothing): Source {
  return {
    id: source.uid,
    name: source.name,
    type: source.type,
    config: toShownConfig(source.config, Object.keys(source.secrets)),
    ...(source.type === IMPORT_TYPE ? {} : { history: source.history }),
    ...(source.coverage === undefined ? {} : { coverage: source.coverage }),
    createdAt: toInstant(source.createdAt),
    updatedAt: toInstant(source.updatedAt),
    ...(source.nextRunAt === null ? {} : { nextRunAt: toInstant(source.nextRunAt) }),
    ...(source.lastCompletedScanAt === null ? {} : { lastCompletedScanAt: toInstant(source.lastCompletedScanAt) }),
    counts,
  }
}

export function getShownSource(reader: Reader, ref: string): Source {
  const source = getSource(reader, ref)
  return toSource(source, countBySource(reader).get(source.id))
}

/** Appends a change of a source to the audit trail; of its secrets only the names of new ones. */
export function auditSource(
  writer: Writer,
  context: WriteContext,
  action: 'create' | 'update' | 'delete',
  before: SourceRecord | undefined,
  after: SourceRecord | undefined,
): void {
  const shown = ({ name, config, secrets, history }: SourceRecord) => ({
    name,
    history,
    config: toShownConfig(config, Object.keys(secrets)),
  })
  const fresh = Object.entries(after?.secrets ?? {}).filter(([member, sealed]) => before?.secrets[member] !== sealed)
  if (before !== undefined && after !== undefined && fresh.length === 0) {
    if (isDeepStrictEqual(shown(before), shown(after))) return
  }
  appendAudit(writer, authorOf(context), {
    action,
    kind: 'source',
    name: (after ?? before)?.name ?? '',
    ...(before === undefined ? {} : { before: shown(before) }),
    ...(after === undefined ? {} : { after: { ...shown(after), newSecrets: fresh.map(([member]) => member) } }),
  })
}

/** The settings of a source without its credentials, of which the names are given. */
function describeConfig(config: Readonly<Record<string, unknown>>): string {
  const { masked, ...shown } = config
  const secrets = isObject(masked) ? Object.keys(masked) : []
  return `${JSON.stringify(shown)}${secrets.length === 0 ? '' : `, with new ${secrets.join(', ')}`}`
}

/** The operations on sources, for the given connectors and detectors. */
export function createSourceOperations(plugins: Plugins): readonly Operation[] {
  const Config = z
    .record(z.string(), z.unknown())
    .meta(configJsonSchema(plugins))
    .describe('The payload: type, required, masked, optional, sampling, schedule, detectors.')
  const PartialConfig = z
    .record(z.string(), z.unknown())
    .describe('Fields to change, merged by key; secrets omitted or sent as ******** are kept.')

  const ChangedSource = Source.extend({
    warnings: z.array(SourceWarning).describe('What the settings leave out, or count twice.').optional(),
  })
  const toShownChange = (reader: Reader, uid: string, coerced: SourceWarning[] = []) => {
    const source = getShownSource(reader, uid)
    const left = listLeftOut(plugins, source.config)
    const leftOut = `The list of detectors leaves out ${left.join(', ')}, so no scan of ${quote(source.name)} runs ${left.length === 1 ? 'it' : 'them'}.`
    const same = describeSameTenant(plugins, reader, getSource(reader, uid))
    const warnings: SourceWarning[] = [
      ...coerced,
      ...(same === undefined ? [] : [{ code: 'same_tenant' as const, message: same }]),
      ...(left.length === 0 ? [] : [{ code: 'detectors_left_out' as const, message: leftOut }]),
    ]
    return warnings.length === 0 ? source : { ...source, warnings }
  }

  return [
    operation({
      name: 'list_sources',
      title: 'List sources',
      summary: 'List the scanned tenants and the scanners whose findings were imported.',
      effect: 'read',
      scope: 'read',
      route: 'GET /sources',
      toolset: 'admin',
      texts: 'own',
      input: z.strictObject({}),
      output: z.object({
        items: z.array(Source).describe('All sources, by name.'),
        total: z.number().describe('Number of sources.'),
      }),
      run: (_input, context) =>
        context.read((reader) => {
          const counts = countBySource(reader)
          const items = listSources(reader).map((source) => toSource(source, counts.get(source.id)))
          return { items, total: items.length }
        }),
    }),

    operation({
      name: 'get_source',
      title: 'Get source',
      summary: 'Show one source: its settings with secrets masked, its schedule and its counts.',
      effect: 'read',
      scope: 'read',
      route: 'GET /sources/{id}',
      toolset: 'admin',
      texts: 'own',
      input: z.strictObject({ id: SourceRef }),
      output: Source,
      run: ({ id }, context) => context.read((reader) => getShownSource(reader, id)),
    }),

    operation({
      name: 'create_source',
      title: 'Create source',
      summary: 'Register a tenant to scan. Checks the payload; asks the tenant nothing yet.',
      effect: 'write',
      consent: 'always',
      scope: 'admin',
      route: 'POST /sources',
      status: 201,
      location: (source) => `/sources/${source.id}`,
      toolset: 'admin',
      texts: 'own',
      input: z.strictObject({ name: SourceName, config: Config, history: HistoryModeInput.optional() }),
      affected: ({ name, config }) => [`${quote(name)}: ${describeConfig(config)}`],
      readOther(raw) {
        if (typeof raw.type !== 'string' || 'config' in raw || 'name' in raw) return undefined
        const name = toHost(plugins, raw) ?? raw.type
        const message = `The payload was sent alone, so the source is named ${quote(name)}; PUT /sources renames it.`
        return { value: { name, config: raw }, coerced: { path: 'name', message } }
      },
      examine: ({ config }) => (isObject(config) ? listConfigProblems(plugins, config) : []),
      output: ChangedSource,
      run: ({ name, config, history }, context) => {
        const parsed = parseConfig(plugins, config)
        const uid = crypto.randomUUID()
        const secrets = sealSecrets(context.vault, uid, parsed.secrets)
        const now = context.now()
        const told = (context.coerced ?? []).map(({ message }) => ({ code: 'coerced' as const, message }))
        return context.store.write(
          (writer) => {
            requireFreeName(writer, name)
            insertSource(
              writer,
              {
                uid,
                name,
                type: parsed.connector.type,
                config: withoutSecrets(config),
                history,
                secrets,
                nextRunAt: nextRunAt(parsed.schedule, now) ?? null,
              },
              now,
            )
            auditSource(writer, context, 'create', undefined, getSource(writer, uid))
            return toShownChange(writer, uid, told)
          },
          { durable: true },
        )
      },
    }),

    operation({
      name: 'update_source',
      title: 'Update source',
      summary: 'Rename a source or change fields of its payload; omitted ones are kept.',
      effect: 'write',
      consent: 'always',
      scope: 'admin',
      route: 'PUT /sources/{id}',
      toolset: 'admin',
      idempotent: true,
      texts: 'own',
      input: z.strictObject({
        id: SourceRef,
        name: SourceName.optional(),
        config: PartialConfig.optional(),
        history: HistoryModeInput.optional(),
      }),
      output: ChangedSource,
      affected: ({ id, name, config = {}, history }, context) =>
        context.read((reader) => {
          const source = getSource(reader, id)
          const members = Object.keys(config).filter((key) => key !== 'masked')
          const before = Object.fromEntries(members.map((key) => [key, source.config[key]]))
          return [
            `${quote(source.name)}${name === undefined ? '' : `, renamed to ${quote(name)}`}`,
            ...(members.length === 0 ? [] : [`before: ${describeConfig(before)}`]),
            ...(Object.keys(config).length === 0 ? [] : [`after: ${describeConfig(config)}`]),
            ...(history === undefined ? [] : [`history: ${source.history}, afterwards ${history}`]),
          ]
        }),
      run: ({ id, name, config, history }, context) => {
        const now = context.now()
        return context.store.write(
          (writer) => {
            const source = getSource(writer, id)
            if (name !== undefined) requireFreeName(writer, name, source.id)
            if (history !== undefined && history !== source.history) forgetHistory(writer, source.id)
            const updated = config === undefined ? undefined : updateOf(source, config, context.vault)
            updateSource(
              writer,
              source.id,
              {
                name: name ?? source.name,
                config: updated?.config ?? source.config,
                history,
                secrets: updated?.secrets ?? source.secrets,
                nextRunAt: updated === undefined ? source.nextRunAt : nextRunOf(source, updated.parsed.schedule, now),
                tenantId: updated?.sameTenant === false ? null : source.tenantId,
              },
              now,
            )
            auditSource(writer, context, 'update', source, getSource(writer, source.uid))
            return toShownChange(writer, source.uid)
          },
          { durable: true },
        )
      },
    }),

    operation({
      name: 'test_source',
      title: 'Test source',
      summary: 'Try to sign in and read, step by step, with hints for what fails. Stores nothing.',
      effect: 'read',
      cost: 'computed',
      scope: 'admin',
      route: 'POST /sources/{id}/test',
      toolset: 'admin',
      openWorld: true,
      untrusted: true,
      input: z.strictObject({ id: SourceRef }),
      output: z.object({ steps: z.array(TestStep).describe('The steps, in order.') }),
      run: async ({ id }, context) => {
        const { source, same } = context.read((reader) => {
          const source = getSource(reader, id)
          return { source, same: describeSameTenant(plugins, reader, source) }
        })
        if (source.type === IMPORT_TYPE) {
          return {
            steps: [
              {
                name: 'import',
                status: 'skipped' as const,
                detail: ownText('Imported findings have no tenant to test.'),
              },
            ],
          }
        }
        const { connector, payload, sampling } = openConfig(plugins, context.vault, source)
        const options = {
          config: payload,
          sampling: { ...sampling, seed: 0 },
          signal: context.signal,
          log: context.log,
          now: context.now,
          ...(source.tenantId === null ? {} : { tenantId: source.tenantId }),
          rememberTenantId: () => {},
        }
        const session = openSafeSession(connector, options, createNumberer(context.vault.fingerprintKey()))
        try {
          return {
            steps: [
              ...listProxied(connector.credentialOrigins(payload)),
              ...(await session.test()),
              ...(same === undefined
                ? []
                : [{ name: ownText('same_tenant'), status: 'skipped' as const, detail: toSafeText(same, 'prose') }]),
            ],
          }
        } finally {
          await session.close()
        }
      },
    }),
  ]

  function updateOf(source: SourceRecord, config: Record<string, unknown>, vault: Parameters<typeof updateConfig>[1]) {
    if (source.type === IMPORT_TYPE) {
      throw conflict(`${quote(source.name)} holds imported findings and has no settings; only its name can be changed.`)
    }
    return updateConfig(plugins, vault, source, config)
  }
}

/** Through which proxy each origin is reached, as steps of a connection test; none for those that are reached directly. */
function listProxied(origins: readonly string[]): z.infer<typeof TestStep>[] {
  return [...new Set(origins)].flatMap((origin) => {
    const url = new URL(origin)
    const proxy = findProxy(url)
    if (proxy === undefined || 'problem' in proxy) return []
    const detail = toSafeText(`${url.host} is reached through ${proxy.place}`, 'prose')
    return [{ name: ownText('proxy'), status: 'ok' as const, detail }]
  })
}

/** Which other sources have the address of a tenant, where what both scan counts twice; undefined: none. */
function describeSameTenant(plugins: Plugins, reader: Reader, source: SourceRecord): string | undefined {
  const address = findTenantAddress(plugins, source)
  const others = listSources(reader).filter(
    (other) => other.id !== source.id && address !== undefined && findTenantAddress(plugins, other) === address,
  )
  if (others.length === 0) return undefined
  const names = showNames([source, ...others].map(({ name }) => name))
  return `The sources ${names} have the same address: a space or workspace that two of them scan counts twice. Limit each to others, or remove all but one.`
}

/** An unchanged schedule keeps its next run, so that an unrelated edit does not cause a missed run. */
function nextRunOf(source: SourceRecord, schedule: Parameters<typeof nextRunAt>[0], now: number): number | null {
  const before = JSON.stringify(source.config.schedule ?? null)
  if (before === JSON.stringify(schedule ?? null)) return source.nextRunAt
  return nextRunAt(schedule, now) ?? null
}

/** The host of the tenant that a payload names; undefined for a payload that is not valid. */
function toHost(plugins: Plugins, raw: Readonly<Record<string, unknown>>): string | undefined {
  if (listConfigProblems(plugins, raw).length > 0) return undefined
  const [address = ''] = tenantAddressOf(parseConfig(plugins, raw)).split(' ')
  return URL.parse(address)?.hostname
}

function requireFreeName(reader: Reader, name: string, exceptId?: number): void {
  const taken = findSource(reader, name)
  if (taken === undefined || taken.id === exceptId) return
  throw conflict(`A source ${quote(taken.name)} already exists; choose another name.`, {
    reason: 'name_taken',
    facts: { id: taken.uid },
  })
}

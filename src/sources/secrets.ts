import type { Connector } from '../connectors/connector.ts'
import { AppError, invalidInput } from '../kernel/errors.ts'
import { isObject } from '../kernel/json-object.ts'
import { MASK } from '../kernel/redaction.ts'
import type { Vault } from '../store/keys/vault.ts'
import { invalidConfig, mergeConfig, type ParsedConfig, parseConfig, withoutSecrets } from './config.ts'
import type { SourceRecord } from './model.ts'
import type { Plugins } from './plugins.ts'

const placeOf = (sourceUid: string, member: string) => `source/${sourceUid}/${member}`

export function sealSecrets(vault: Vault, sourceUid: string, secrets: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(secrets).map(([name, plain]) => [name, vault.seal(placeOf(sourceUid, name), plain)]),
  )
}

/** @throws AppError `unavailable` when the key is lost or is another one. */
export function openSecrets(vault: Vault, source: Pick<SourceRecord, 'uid' | 'secrets'>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(source.secrets).map(([name, sealed]) => [name, vault.open(placeOf(source.uid, name), sealed)]),
  )
}

/**
 * Opens the secrets of a stored source and parses its payload with them.
 * @throws AppError when either fails.
 */
export function openConfig(plugins: Plugins, vault: Vault, source: SourceRecord): ParsedConfig {
  return parseConfig(plugins, { ...source.config, masked: openSecrets(vault, source) })
}

/** The result of an update: the payload to store, and its sealed secrets. */
export interface UpdatedConfig {
  parsed: ParsedConfig
  config: Record<string, unknown>
  secrets: Record<string, string>
  /** False when the payload may now refer to another tenant. */
  sameTenant: boolean
}

/**
 * Merges a partial payload into a stored one. A secret that is left out, or sent as its placeholder, is kept, unless
 * the payload would now send it to another origin.
 * @throws AppError `invalid_input`, with reason `secret_required` when a credential must be entered again.
 */
export function updateConfig(
  plugins: Plugins,
  vault: Vault,
  source: SourceRecord,
  partial: Readonly<Record<string, unknown>>,
): UpdatedConfig {
  if (partial.type !== undefined && partial.type !== source.config.type) {
    throw invalidConfig([
      { path: 'type', message: `cannot change from ${source.type}; create another source for another type.` },
    ])
  }
  const { masked: given = {}, ...open } = partial
  if (!isObject(given)) throw invalidConfig([{ path: 'masked', message: 'must be an object.' }])
  const fresh = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== MASK && value !== null))
  const cleared = new Set(Object.keys(given).filter((name) => given[name] === null))
  const kept = Object.keys(source.secrets).filter((name) => !(name in fresh) && !cleared.has(name))
  const merged = mergeConfig(source.config, open)
  const attempts = [{ config: merged, kept }]
  // Another way to sign in has other members, so the second attempt replaces `required` instead of merging it, and
  // keeps no secrets.
  if (isObject(open.required)) attempts.push({ config: { ...merged, required: open.required }, kept: [] })
  let problem: unknown
  for (const attempt of attempts) {
    try {
      return complete(plugins, vault, source, attempt, fresh)
    } catch (error) {
      if (!(error instanceof AppError) || error.facts.reason !== undefined) throw error
      problem ??= error
    }
  }
  throw problem
}

function complete(
  plugins: Plugins,
  vault: Vault,
  source: SourceRecord,
  { config, kept }: { config: Record<string, unknown>; kept: readonly string[] },
  fresh: Readonly<Record<string, unknown>>,
): UpdatedConfig {
  const opened = kept.length === 0 ? {} : openKept(vault, source, kept)
  const parsed = parseConfig(plugins, { ...config, masked: { ...opened, ...fresh } })
  if (kept.length > 0) requireSameOrigins(parsed.connector, plugins, source, opened, parsed, kept)
  const secretNames = new Set(Object.keys(parsed.secrets))
  const changed = Object.fromEntries(Object.entries(parsed.secrets).filter(([name]) => name in fresh))
  const stays = Object.fromEntries(
    Object.entries(source.secrets).filter(([name]) => kept.includes(name) && secretNames.has(name)),
  )
  return {
    parsed,
    config: withoutSecrets(config),
    secrets: { ...stays, ...sealSecrets(vault, source.uid, changed) },
    sameTenant: findTenantAddress(plugins, source) === `${source.type} ${tenantAddressOf(parsed)}`,
  }
}

function openKept(vault: Vault, source: SourceRecord, kept: readonly string[]): Record<string, string> {
  const opened = openSecrets(vault, source)
  return Object.fromEntries(kept.flatMap((name) => (opened[name] === undefined ? [] : [[name, opened[name]]])))
}

function requireSameOrigins(
  connector: Connector,
  plugins: Plugins,
  source: SourceRecord,
  opened: Readonly<Record<string, string>>,
  parsed: ParsedConfig,
  kept: readonly string[],
): void {
  const before = new Set(originsBefore(connector, plugins, source, opened))
  const added = connector.credentialOrigins(parsed.payload).filter((origin) => !before.has(origin))
  if (added.length === 0) return
  throw invalidInput('The credential would be sent to another address than it was entered for; enter it again.', {
    reason: 'secret_required',
    issues: kept.map((name) => ({
      path: `config.masked.${name}`,
      message: `must be entered again, because it would now be sent to ${added.join(', ')}.`,
    })),
  })
}

function originsBefore(
  connector: Connector,
  plugins: Plugins,
  source: SourceRecord,
  opened: Readonly<Record<string, string>>,
): string[] {
  // A stored payload that is no longer valid has no address for which a credential may be kept.
  const before = findParsed(plugins, source, opened)
  return before === undefined ? [] : connector.credentialOrigins(before.payload)
}

function findParsed(
  plugins: Plugins,
  source: SourceRecord,
  secrets: Readonly<Record<string, string>>,
): ParsedConfig | undefined {
  try {
    return parseConfig(plugins, { ...source.config, masked: secrets })
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

export const tenantAddressOf = ({ connector, payload }: ParsedConfig) =>
  connector.tenantAddress?.(payload) ?? connector.credentialOrigins(payload).join(' ')

/** The address of the tenant of a stored source; undefined if it has none, or its payload is no longer valid. */
export function findTenantAddress(plugins: Plugins, source: SourceRecord): string | undefined {
  // The tenant does not depend on the secrets, so any values do to parse the stored payload.
  const secrets = Object.fromEntries(Object.keys(source.secrets).map((name) => [name, 'any']))
  const parsed = findParsed(plugins, source, secrets)
  return parsed === undefined ? undefined : `${source.type} ${tenantAddressOf(parsed)}`
}

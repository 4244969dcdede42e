import { toSafeText } from '../../detectors/safe-text.ts'
import { AppError } from '../../kernel/errors.ts'
import { quote } from '../../kernel/shown.ts'
import type { ScanWarning, UnlistedScopeStatus } from '../connector.ts'
import { endsScan, isRefusal } from '../failure.ts'
import type { BiApi } from './api.ts'
import type { BiConfig } from './config.ts'
import { judge, statusOf } from './failure.ts'
import type { Workspace } from './model.ts'
import type { Item } from './wire.ts'

export interface Discovery {
  workspaces: Workspace[]
  warnings: ScanWarning[]
  /** Names and ids of the scope that match no workspace. */
  unmatched: string[]
  /** Ids that the account sees, regardless of the scope, and ids that it is denied. */
  visible: ReadonlySet<string>
  denied: ReadonlySet<string>
  /** True where the personal workspaces of others were to be listed, which the platform refused. */
  isPersonalRefused?: boolean
}

const isPersonal = (item: Item) => /^personal(?:group)?$/i.test(item.text('type') ?? '')

function toWorkspace(item: Item, member = true): Workspace {
  const description = item.text('description')
  const id = item.id('id') ?? ''
  return {
    id,
    name: item.text('name') || id,
    kind: isPersonal(item) ? 'personal' : 'workspace',
    member,
    ...(description === undefined ? {} : { description }),
  }
}

const fold = (name: string) => name.trim().normalize('NFC').toLowerCase()

const personalTypes = "type eq 'PersonalGroup' or type eq 'Personal'"

/**
 * Determines the workspaces to scan: the union of the allow-lists by id and by name; without either, all that the
 * account sees.
 */
export async function discover(options: {
  api: BiApi
  scope: BiConfig['optional']['scope']
  servicePrincipal: boolean
}): Promise<Discovery> {
  const { api, scope } = options
  const ids = [...new Set((scope.workspace_ids ?? []).map((id) => id.trim().toLowerCase()))]
  const names = [...new Set((scope.workspace_names ?? []).map(fold))]
  const listed = ids.length > 0 || names.length > 0
  const warnings: ScanWarning[] = []
  const found = new Map<string, Workspace>()
  const denied = new Set<string>()
  let hasUnreadable = false
  let isPersonalRefused = false
  const addLooped = (looped: boolean) => {
    if (!looped) return
    const message = 'The platform returned the same page of the workspace list twice, so workspaces may be missing.'
    warnings.push({ code: 'listing_incomplete', message, incomplete: true })
  }
  const add = (workspace: Workspace) => {
    hasUnreadable ||= workspace.id === ''
    if (workspace.id !== '' && !found.has(workspace.id)) found.set(workspace.id, workspace)
  }

  if (!listed || names.length > 0) {
    const { items, looped } = await api.workspaces()
    addLooped(looped)
    for (const item of items) add(toWorkspace(item))
  }
  for (const id of ids) {
    if (found.has(id)) continue
    try {
      add(toWorkspace(await api.workspace(id)))
    } catch (error) {
      if (statusOf(error) === 401) await api.probe()
      else if (endsScan(error) || !isRefusal(error)) throw error
      if (statusOf(error) === 401 || statusOf(error) === 403) denied.add(id)
    }
  }

  if (scope.include_personal_workspaces) {
    if (!options.servicePrincipal) add({ id: 'me', name: 'My workspace', kind: 'me', member: true })
    try {
      const { items, looped } = await api.adminWorkspaces(personalTypes)
      addLooped(looped)
      for (const item of items) if (item.text('state') !== 'Deleted') add(toWorkspace(item, false))
    } catch (error) {
      if (statusOf(error) === 401) await api.probe()
      else if (endsScan(error) || !isRefusal(error)) throw error
      isPersonalRefused = true
      if (options.servicePrincipal) {
        const message =
          'An application has no personal workspace and cannot list those of others; use an admin account.'
        warnings.push({ code: 'personal_workspaces_unavailable', message })
      }
    }
  }

  if (hasUnreadable) {
    const message =
      'The platform listed workspaces without an id, so workspaces may be missing; the next scan tries again.'
    warnings.push({ code: 'entries_unreadable', message, incomplete: true })
  }
  const wanted = (workspace: Workspace) => !listed || ids.includes(workspace.id) || names.includes(fold(workspace.name))
  const workspaces = [...found.values()]
    .filter((workspace) => workspace.kind === 'workspace' || scope.include_personal_workspaces)
    .filter(wanted)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  const unmatched = [
    ...(scope.workspace_ids ?? []).filter((id) => !workspaces.some((item) => item.id === id.trim().toLowerCase())),
    ...(scope.workspace_names ?? []).filter((name) => !workspaces.some((item) => fold(item.name) === fold(name))),
  ]
  for (const name of unmatched) {
    const message = `No workspace ${quote(toSafeText(name, 'prose'))} is visible; check its spelling and the account's membership.`
    warnings.push({ code: 'scope_unmatched', message, scope: name })
  }
  return { workspaces, warnings, unmatched, visible: new Set(found.keys()), denied, isPersonalRefused }
}

const IDS_PER_CALL = 20

/** What happened to workspaces that are no longer listed, as far as the admin API or the workspace itself shows. */
export async function findLeft(
  api: BiApi,
  { visible, denied, isPersonalRefused }: Discovery,
  ids: readonly string[],
): Promise<Map<string, UnlistedScopeStatus>> {
  const left = new Map<string, UnlistedScopeStatus>()
  for (const id of ids) {
    if (visible.has(id)) left.set(id, 'left_out')
    else if (denied.has(id)) left.set(id, 'hidden')
  }
  const unknown = ids.filter((id) => !left.has(id) && /^[0-9a-f-]{36}$/.test(id))
  try {
    for (let at = 0; at < unknown.length; at += IDS_PER_CALL) {
      const asked = unknown.slice(at, at + IDS_PER_CALL)
      const { items, looped } = await api.adminWorkspaces(asked.map((id) => `id eq '${id}'`).join(' or '))
      if (looped || items.some((item) => item.id('id') === undefined)) continue
      const known = new Map(items.map((item) => [item.id('id') ?? '', item.text('state')]))
      for (const id of asked) left.set(id, (known.get(id) ?? 'Deleted') === 'Deleted' ? 'gone' : 'hidden')
    }
  } catch (error) {
    await judge(error, api.probe)
  }
  for (const id of unknown) {
    if (!left.has(id) && (await isThere(api, id, isPersonalRefused === true))) left.set(id, 'hidden')
  }
  return left
}

const existenceLists = [
  ['dataset', 'datasets'],
  ['report', 'reports'],
  ['dashboard', 'dashboards'],
] as const
/** The lists of administrators have low hourly limits. */
const MAX_EXISTENCE_CALLS = 10

/**
 * Keys of items that still exist although their workspace does not list them, as administrators see it: most were moved
 * to a workspace that is not scanned. Without the admin API, none is known to exist.
 */
export async function findExisting(api: BiApi, keys: readonly string[]): Promise<Set<string>> {
  const existing = new Set<string>()
  let calls = 0
  try {
    for (const [kind, list] of existenceLists) {
      const keysById = new Map(
        keys.flatMap((key) => (key.split(':').at(-2) === kind ? [[key.split(':').at(-1) ?? '', key]] : [])),
      )
      const ids = [...keysById.keys()].filter((id) => /^[0-9a-f-]{36}$/.test(id))
      for (let at = 0; at < ids.length && calls < MAX_EXISTENCE_CALLS; at += IDS_PER_CALL) {
        calls++
        const filter = ids
          .slice(at, at + IDS_PER_CALL)
          .map((id) => `id eq '${id}'`)
          .join(' or ')
        for (const item of await api.adminItems(list, filter)) {
          const key = keysById.get(item.id('id') ?? '')
          if (key !== undefined) existing.add(key)
        }
      }
    }
  } catch (error) {
    if ((await judge(error, api.probe)) === 'unavailable') throw error
  }
  return existing
}

/** Whether a workspace answers to its id; `refusalCounts`: a refusal shows that it exists. */
async function isThere(api: BiApi, id: string, refusalCounts: boolean): Promise<boolean> {
  try {
    return (await api.workspace(id)).id('id') === id
  } catch (error) {
    if ((await judge(error, api.probe)) === 'unavailable') throw error
    return refusalCounts && [401, 403].includes(statusOf(error) ?? 0)
  }
}

/**
 * An empty scan must fail, because a success without assets would look like a clean tenant.
 * @throws AppError `unavailable`, reason `scope_unmatched`, `nothing_visible` or the code of an `incomplete` warning
 */
export function requireWorkspaces({ workspaces, unmatched, warnings }: Discovery): void {
  if (workspaces.length > 0) return
  const gap = warnings.find(({ incomplete }) => incomplete === true)
  if (gap !== undefined) throw new AppError('unavailable', gap.message, { reason: gap.code })
  const message =
    unmatched.length > 0
      ? 'No workspace of the scope is visible; check the ids, the names and the membership of the account.'
      : 'No workspace is visible to the account; add it as a member of the workspaces to scan.'
  throw new AppError('unavailable', message, {
    reason: unmatched.length > 0 ? 'scope_unmatched' : 'nothing_visible',
    facts: { unmatched: unmatched.slice(0, 50) },
  })
}

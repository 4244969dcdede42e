import { AppError } from '../../kernel/errors.ts'
import { quote } from '../../kernel/shown.ts'
import type { ScanWarning } from '../connector.ts'
import type { BiApi } from './api.ts'
import type { BiConfig } from './config.ts'
import { endsScan, isRefusal, statusOf } from './failure.ts'
import type { Workspace } from './model.ts'
import type { Item } from './wire.ts'

export interface Discovery {
  workspaces: Workspace[]
  warnings: ScanWarning[]
  /** Names and ids that were asked for and match nothing. */
  unmatched: string[]
}

const isPersonal = (item: Item) => /^personal(?:group)?$/i.test(item.text('type') ?? '')

function toWorkspace(item: Item, member = true): Workspace {
  const description = item.text('description')
  return {
    id: item.id('id') ?? '',
    name: item.text('name') ?? '',
    kind: isPersonal(item) ? 'personal' : 'workspace',
    member,
    ...(description === undefined ? {} : { description }),
  }
}

const fold = (name: string) => name.trim().normalize('NFC').toLowerCase()

const personalTypes = "type eq 'PersonalGroup' or type eq 'Personal'"

/** Which workspaces to scan: allow-lists by id and by name add up; without any, all that the account sees. */
export async function discover(options: {
  api: BiApi
  scope: BiConfig['optional']['scope']
  servicePrincipal: boolean
}): Promise<Discovery> {
  const { api, scope } = options
  const ids = [...new Set((scope.workspace_ids ?? []).map((id) => id.trim().toLowerCase()))]
  const names = [...new Set((scope.workspace_names ?? []).map(fold))]
  const listed = scope.workspace_ids !== undefined || scope.workspace_names !== undefined
  const warnings: ScanWarning[] = []
  const found = new Map<string, Workspace>()
  const add = (workspace: Workspace) => {
    if (workspace.id !== '' && !found.has(workspace.id)) found.set(workspace.id, workspace)
  }

  if (!listed || names.length > 0) {
    const { items, looped } = await api.workspaces()
    if (looped) {
      const message = 'The list of workspaces repeats itself, so some may be missing.'
      warnings.push({ code: 'listing_incomplete', message })
    }
    for (const item of items) add(toWorkspace(item))
  }
  for (const id of ids) {
    if (found.has(id)) continue
    try {
      add(toWorkspace(await api.workspace(id)))
    } catch (error) {
      if (statusOf(error) === 401) await api.probe()
      else if (endsScan(error) || !isRefusal(error)) throw error
    }
  }

  if (scope.include_personal_workspaces) {
    if (!options.servicePrincipal) add({ id: 'me', name: 'My workspace', kind: 'me', member: true })
    try {
      const { items } = await api.adminWorkspaces(personalTypes)
      for (const item of items) if (item.text('state') !== 'Deleted') add(toWorkspace(item, false))
    } catch (error) {
      if (statusOf(error) === 401) await api.probe()
      else if (endsScan(error) || !isRefusal(error)) throw error
      if (options.servicePrincipal) {
        const message =
          'An application has no personal workspace and may not list those of others; use an admin account.'
        warnings.push({ code: 'personal_workspaces_unavailable', message })
      }
    }
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
    const message = `No workspace ${quote(name)} is visible; check its spelling and the account's membership.`
    warnings.push({ code: 'scope_unmatched', message, scope: name.slice(0, 200), incomplete: true })
  }
  return { workspaces, warnings, unmatched }
}

/** Nothing to scan is a failure: an empty success would look like a clean tenant. */
export function requireWorkspaces({ workspaces, unmatched }: Discovery): void {
  if (workspaces.length > 0) return
  const message =
    unmatched.length > 0
      ? 'None of the workspaces of the scope is visible; check ids, names and the membership of the account.'
      : 'The account sees no workspace; add it as a member of the workspaces to scan.'
  throw new AppError('unavailable', message, {
    reason: unmatched.length > 0 ? 'scope_unmatched' : 'nothing_visible',
    facts: { unmatched: unmatched.slice(0, 50) },
  })
}

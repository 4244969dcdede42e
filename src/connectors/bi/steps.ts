import { toSafeText } from '../../detectors/safe-text.ts'
import { AppError } from '../../kernel/errors.ts'
import { showName, showNames } from '../../kernel/shown.ts'
import type { TestStep } from '../connector.ts'
import { reasonOf } from '../failure.ts'
import { findProxyHint } from '../http/fault.ts'
import type { BiApi } from './api.ts'
import type { BiAddresses, BiConfig } from './config.ts'
import { type Discovery, discover } from './discovery.ts'
import type { Workspace } from './model.ts'
import type { SignIn } from './sign-in.ts'
import { toItem } from './wire.ts'

const isDenial = (error: unknown) => ['forbidden', 'auth_failed', 'auth_expired'].includes(reasonOf(error))
const detailOf = (error: unknown) => (error instanceof AppError ? error.message : 'The call failed.')

const minutes = (ms: number) => `${Math.max(0, Math.round(ms / 60_000))} minutes`

/** Runs the steps of a connection test without writing anything. Only a refused sign-in skips the remaining steps. */
export async function runSteps(options: {
  api: BiApi
  signIn: SignIn
  config: BiConfig
  addresses: BiAddresses
  now: () => number
}): Promise<TestStep[]> {
  const { api, config, addresses } = options
  const { scope, extraction } = config.optional
  const servicePrincipal = config.required.auth_mode === 'SERVICE_PRINCIPAL'
  const steps: TestStep[] = []

  const attempt = async (name: string, hint: string, work: () => Promise<string | TestStep>): Promise<boolean> => {
    try {
      const result = await work()
      const step: TestStep = typeof result === 'string' ? { name, status: 'ok', detail: result } : result
      steps.push(step)
      return step.status === 'ok'
    } catch (error) {
      steps.push({
        name,
        status: isDenial(error) ? 'denied' : 'failed',
        detail: detailOf(error),
        hint: findProxyHint(error) ?? hint,
      })
      return false
    }
  }
  const skip = (name: string, detail: string) => steps.push({ name, status: 'skipped', detail })

  await attempt('address', '', async () =>
    addresses.cloudsMatch
      ? `API ${addresses.apiOrigin}, sign-in ${addresses.authorityOrigin}`
      : {
          name: 'address',
          status: 'failed',
          detail: 'api_base_url and authority_url belong to different clouds.',
          hint: 'Use the two addresses of the same cloud.',
        },
  )

  const signedIn = await attempt('sign_in', 'Check the ids and the secret, or get a new token.', async () => {
    const claims = await options.signIn.claims()
    await options.signIn.authorize()
    const who = servicePrincipal ? 'the application' : (claims.name ?? 'the owner of the token')
    const left =
      claims.expiresAt === undefined ? '' : `; the token is valid for ${minutes(claims.expiresAt - options.now())}`
    return `Signed in as ${who}${left}`
  })
  const rest = ['list_scopes', 'scope', 'read_items', 'personal_workspaces', 'admin_api', 'execute_queries']
  if (!signedIn) {
    for (const name of rest) skip(name, 'Skipped: sign-in failed.')
    return steps
  }

  let found: Discovery = {
    workspaces: [],
    warnings: [],
    unmatched: [],
    visible: new Set<string>(),
    denied: new Set<string>(),
  }
  const listHint = servicePrincipal
    ? 'Allow service principals to call the APIs in the tenant settings, and add the application to the workspaces.'
    : 'Get a token for this API from an account that may use it.'
  await attempt('list_scopes', listHint, async () => {
    found = await discover({ api, scope, servicePrincipal })
    const names = found.workspaces.slice(0, 5).map(({ name }) => name)
    if (found.workspaces.length > 0) return `${found.workspaces.length} workspaces: ${names.join(', ')}`
    const hint = 'Add the account as a member of the workspaces to scan.'
    return {
      name: 'list_scopes',
      status: 'failed',
      detail: 'No workspace to scan is visible to the account.',
      hint,
    }
  })

  if (found.unmatched.length > 0) {
    const detail = `Not visible: ${showNames(found.unmatched.slice(0, 10))}`
    const hint = 'Check the spelling and the membership of the account.'
    steps.push({ name: 'scope', status: 'failed', detail, hint })
  } else if (scope.workspace_ids === undefined && scope.workspace_names === undefined) {
    skip('scope', 'Every visible workspace is in scope.')
  } else {
    steps.push({ name: 'scope', status: 'ok', detail: 'Every workspace of the scope is visible.' })
  }

  const first = found.workspaces.find(({ member }) => member)
  let firstDataset: { workspace: Workspace; id: string } | undefined
  if (first === undefined) skip('read_items', 'There is no visible workspace to read.')
  else {
    await attempt('read_items', 'Give the account at least the role of a member or contributor.', async () => {
      const [datasets, reports, dashboards] = await Promise.all([
        api.datasets(first),
        api.reports(first),
        api.dashboards(first),
      ])
      const id = datasets[0]?.id('id')
      if (id !== undefined) firstDataset = { workspace: first, id }
      return `${showName(toSafeText(first.name, 'prose'))}: ${datasets.length} datasets, ${reports.length} reports, ${dashboards.length} dashboards`
    })
  }

  const [personal] = found.warnings.filter(({ code }) => code === 'personal_workspaces_unavailable')
  if (!scope.include_personal_workspaces) skip('personal_workspaces', 'Not requested by the settings.')
  else if (personal !== undefined) {
    const hint = 'Use an access token of a person, or allow the application to use the read-only admin APIs.'
    steps.push({ name: 'personal_workspaces', status: 'denied', detail: personal.message, hint })
  } else steps.push({ name: 'personal_workspaces', status: 'ok', detail: 'Personal workspaces are included.' })

  const adminHint =
    'Optional: allow the account to use the read-only admin APIs and turn on detailed metadata in the tenant settings.'
  const admin = await attempt('admin_api', adminHint, async () => {
    await api.adminProbe()
    return 'Metadata scans are available for schemas and owners.'
  })

  if (!extraction.extract_dataset_schema) skip('execute_queries', 'Schemas are not extracted.')
  else if (admin) skip('execute_queries', 'Not needed: metadata scans provide the schemas.')
  else if (firstDataset === undefined) skip('execute_queries', 'There is no dataset to test with.')
  else {
    const { workspace, id } = firstDataset
    const hint = 'Optional: turn on dataset queries in the tenant settings and give the account build permission.'
    await attempt('execute_queries', hint, async () => {
      const { status, body } = await api.query(workspace, id, 'EVALUATE ROW("ok", 1)')
      const refused = status >= 400 || toItem(body).item('error') !== undefined
      if (!refused) return 'Datasets answer metadata queries.'
      return { name: 'execute_queries', status: 'denied', detail: 'The dataset refused the query.', hint }
    })
  }
  return steps
}

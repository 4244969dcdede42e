import { afterEach, describe, expect, it } from 'vitest'
import type { Audience } from '../../../src/connectors/audience.ts'
import type { BiPrincipal, BiTenant, BiWorkspace, SampleReport } from '../../../src/sample/bi/tenant.ts'
import { SeededRandom } from '../../properties/query-data.ts'
import { generatedBi } from '../../sample/generated-bi.ts'
import { type SampleBi, type SampleBiOptions, startSampleBi } from '../../sample/servers.ts'
import { cases } from '../../support/long.ts'
import { openBi } from './fake.ts'

const running: SampleBi[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((bi) => bi.close()))
})

async function start(tenant: BiTenant, options: SampleBiOptions = {}) {
  const bi = await startSampleBi({ tenant, adminApi: true, scanPolls: 0, ...options })
  running.push(bi)
  return bi
}

function open(bi: SampleBi) {
  const { tenantId, clientId, clientSecret } = bi.credentials
  return openBi({
    type: 'BI_PLATFORM',
    required: { auth_mode: 'SERVICE_PRINCIPAL', tenant_id: tenantId, client_id: clientId },
    masked: { client_secret: clientSecret },
    optional: { connection: { api_base_url: bi.apiUrl, authority_url: bi.authorityUrl } },
  }).session
}

const itemsOf = ({ id, datasets, reports, dashboards }: BiWorkspace) => [
  `workspace:${id}`,
  ...datasets.map((item) => `dataset:${item.id}`),
  ...datasets.map((item) => `dataset:${item.id}:table:T`),
  ...reports.map((item) => `report:${item.id}`),
  ...dashboards.map((item) => `dashboard:${item.id}`),
]

/** The audiences of a workspace and its items, by kind and id. */
async function ask(session: ReturnType<typeof open>, workspace: BiWorkspace): Promise<Map<string, Audience>> {
  const keys = itemsOf(workspace).map((end) => `bi:t:${end}`)
  const found = await session.audiences?.({ key: workspace.id, name: workspace.name }, keys)
  return new Map([...(found ?? [])].map(([key, audience]) => [key.slice(5), audience]))
}

const person = (name: string): BiPrincipal => ({ email: `${name}@example.com`, displayName: name })
const made = () =>
  generatedBi({ workspaces: 2, reports: 12, datasets: 4, editedAt: 0, now: () => Date.UTC(2026, 9, 1) })
const first = (tenant: BiTenant) => [...tenant.workspaces.values()][0] as BiWorkspace

describe('the audience of an item', () => {
  it('is whom its workspace and the item itself are open to', async () => {
    const tenant = made()
    const workspace = first(tenant)
    workspace.users = [{ ...person('ann'), right: 'Viewer' }]
    const [report, other] = workspace.reports as [SampleReport, SampleReport]
    report.createdBy = 'ann@example.com'
    other.createdBy = 'bob@example.com'
    tenant.sharedWith.set(other.id, [person('cem'), { ...person('robot'), principalType: 'App' }])
    const found = await ask(open(await start(tenant)), workspace)
    expect(found.get(`workspace:${workspace.id}`)).toEqual({ name: 'people', size: 1 })
    expect(found.get(`report:${report.id}`)).toEqual({ name: 'people', size: 1 })
    expect(found.get(`report:${other.id}`)).toEqual({ name: 'people', size: 3 })
  })

  it('is wide by the whole organization, by a link and by the web; groups are not shown, so they are unknown', async () => {
    const tenant = made()
    const workspace = first(tenant)
    const ids = workspace.reports.map(({ id }) => id)
    const [org = '', link = '', web = '', group = '', both = ''] = ids
    tenant.sharedWith.set(org, [{ ...person('org'), principalType: 'None' }])
    tenant.sharedWith.set(group, [{ ...person('g'), principalType: 'Group' }])
    tenant.sharedWith.set(both, [{ ...person('g'), principalType: 'Group' }])
    for (const id of [link, both]) tenant.widelyShared.linksSharedToWholeOrganization.add(id)
    // More than fit in a page of the list.
    for (let index = 0; index < 7; index++) tenant.widelyShared.publishedToWeb.add(`other-${index}`)
    tenant.widelyShared.publishedToWeb.add(web)
    const found = await ask(open(await start(tenant)), workspace)
    expect([org, link, web, group, both].map((id) => found.get(`report:${id}`)?.name)).toEqual([
      ...['everyone', 'everyone', 'anonymous', 'unknown', 'everyone'],
    ])
  })

  it('is unknown where an app has a copy, whose users are not listed', async () => {
    const tenant = made()
    const workspace = first(tenant)
    const [original, copy] = workspace.reports as [SampleReport, SampleReport]
    Object.assign(copy, { appId: 'a0000000-0000-4000-8000-000000000001', originalReportId: original.id })
    const found = await ask(open(await start(tenant)), workspace)
    expect([original, copy].map(({ id }) => found.get(`report:${id}`)?.name)).toEqual(['unknown', 'unknown'])
  })

  it('is unknown without the right of an administrator, or where a part of it is refused', async () => {
    const tenant = made()
    const workspace = first(tenant)
    const namesOf = async (bi: SampleBi) => {
      const names = [...(await ask(open(bi), workspace)).values()].map(({ name }) => name)
      return [...new Set(names)].sort()
    }
    expect(await namesOf(await start(tenant, { adminApi: false }))).toEqual([])
    const bi = await start(tenant)
    bi.faults.push({ match: ({ path }) => path.includes('/publishedToWeb'), respond: { status: 403 } })
    expect(await namesOf(bi)).toEqual(['people', 'unknown'])
    bi.faults.splice(0)
    bi.faults.push({ match: ({ path }) => path.includes('/scanResult'), respond: { status: 403 } })
    expect(await namesOf(bi)).toEqual([])
    bi.faults.splice(0)
    bi.faults.push({
      match: ({ path }) => path.includes('/linksShared'),
      respond: { status: 429, headers: { 'retry-after': '3392' } },
    })
    await expect(ask(open(bi), workspace)).rejects.toMatchObject({ facts: { reason: 'retry_later' } })
  })

  it('costs three requests for 100 workspaces and two lists, and nothing more for items', async () => {
    const tenant = made()
    const bi = await start(tenant)
    const session = open(bi)
    bi.requests.splice(0)
    for (const workspace of tenant.workspaces.values()) await ask(session, workspace)
    expect(bi.requests.filter(({ path }) => path.includes('/admin/')).map(({ path }) => path.split('/').at(4))).toEqual(
      [...['workspaces', 'workspaces', 'workspaces', 'widelySharedArtifacts', 'widelySharedArtifacts']],
    )
  })
})

it('equals what the platform allows, for random tenants, and is never too small', async () => {
  const pairs = cases(1_000, 4_000)
  const staff = Array.from({ length: 12 }, (_, index) => `person-${index}`)
  const names = new Map<string, number>()
  for (let [compared, seed] = [0, 1]; compared < pairs; seed++) {
    const random = new SeededRandom(seed)
    const tenant = made()
    const principals = (most: number): BiPrincipal[] => [
      ...random.some(staff, most).map(person),
      ...(random.chance(0.1) ? [{ ...person('all'), principalType: 'None' as const }] : []),
      ...(random.chance(0.1) ? [{ ...person('group'), principalType: 'Group' as const }] : []),
    ]
    for (const workspace of tenant.workspaces.values()) {
      workspace.users = principals(3).map((user) => ({ ...user, right: 'Viewer' }))
      for (const { id } of [...workspace.reports, ...workspace.datasets, ...workspace.dashboards]) {
        if (random.chance(0.6)) tenant.sharedWith.set(id, principals(4))
        if (random.chance(0.1)) tenant.widelyShared.linksSharedToWholeOrganization.add(id)
        if (random.chance(0.1)) tenant.widelyShared.publishedToWeb.add(id)
      }
    }
    const session = open(await start(tenant))
    for (const workspace of tenant.workspaces.values()) {
      const found = await ask(session, workspace)
      const ownerOf = (id: string) =>
        workspace.reports.find((item) => item.id === id)?.createdBy ??
        workspace.datasets.find((item) => item.id === id)?.configuredBy ??
        workspace.dashboards.find((item) => item.id === id)?.owner
      for (const [key, audience] of found) {
        const [kind, id = ''] = key.split(':')
        const ofItem = kind === 'workspace' ? [] : (tenant.sharedWith.get(id) ?? [])
        const all = [...workspace.users, ...ofItem]
        const owner = kind === 'workspace' ? undefined : ownerOf(id)
        const allowed = new Set(all.flatMap(({ email, principalType }) => (principalType === undefined ? email : [])))
        if (owner !== undefined) allowed.add(owner)
        const has = (type: string) => all.some(({ principalType }) => principalType === type)
        const isShared = (list: ReadonlySet<string>) => kind !== 'workspace' && list.has(id)
        const expected = isShared(tenant.widelyShared.publishedToWeb)
          ? 'anonymous'
          : isShared(tenant.widelyShared.linksSharedToWholeOrganization) || has('None')
            ? 'everyone'
            : has('Group')
              ? 'unknown'
              : 'people'
        expect([seed, key, audience.name]).toEqual([seed, key, expected])
        if (expected === 'people') expect([seed, key, audience.size]).toEqual([seed, key, allowed.size])
        names.set(expected, (names.get(expected) ?? 0) + 1)
        compared += staff.length
      }
    }
  }
  expect([...names.keys()].sort()).toEqual(['anonymous', 'everyone', 'people', 'unknown'])
}, 300_000)

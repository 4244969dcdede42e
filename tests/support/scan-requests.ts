import { startSampleBi } from '../../src/sample/bi/server.ts'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { startSampleWiki } from '../../src/sample/wiki/server.ts'
import { generatedBi } from '../sample/generated-bi.ts'
import { generatedWiki, toGeneratedId } from '../sample/generated-wiki.ts'
import { createSource, makeHome, runAssay } from './assay.ts'

const MONTH_MS = 30 * 86_400_000
/** One item in so many is edited. */
const EDITED = 100

/** Requests of three scans of one tenant. */
export interface ScanRequests {
  tenant: string
  items: number
  first: number
  unchanged: number
  edited: number
}

interface Tenant {
  config: Record<string, unknown>
  requests: readonly unknown[]
  edit: () => void
  close: () => Promise<void>
}

async function run(args: readonly string[], home: string): Promise<void> {
  const { code, stderr } = await runAssay(args, { home })
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${stderr}`)
}

async function countScans(tenant: string, items: number, { config, requests, edit, close }: Tenant) {
  const { home, remove } = makeHome()
  const scan = async () => {
    const before = requests.length
    await run(['scan', 'tenant'], home)
    return requests.length - before
  }
  try {
    await createSource(home, { name: 'tenant', config })
    const first = await scan()
    const unchanged = await scan()
    edit()
    return { tenant, items, first, unchanged, edited: await scan() }
  } finally {
    await close()
    remove()
  }
}

const everyOther = (items: number) => Array.from({ length: Math.ceil(items / EDITED) }, (_, index) => index * EDITED)

async function openWiki(items: number): Promise<Tenant> {
  const tenant = generatedWiki({ pages: items, sentences: 4 })
  const { url, requests, close } = await startSampleWiki({ tenant })
  const { config } = sampleSourceConfigs({ wikiUrl: url, biUrl: url, authorityUrl: url }).wiki
  const edit = () => {
    for (const index of everyOther(items)) tenant.editPage(toGeneratedId(index), { body: '<p>Edited.</p>' })
  }
  return { config, requests, edit, close }
}

/** Two thirds of the items are reports, twelve items are a workspace. */
async function openBi(items: number, access: { adminApi?: boolean; listTimes?: boolean }): Promise<Tenant> {
  const reports = Math.ceil((items * 2) / 3)
  const tenant = generatedBi({
    workspaces: Math.ceil(items / 12),
    reports,
    datasets: items - reports,
    editedAt: Date.now() - MONTH_MS,
  })
  const { url, authorityUrl, credentials, requests, close } = await startSampleBi({ tenant, scanPolls: 0, ...access })
  const { config } = sampleSourceConfigs({ wikiUrl: url, biUrl: url, authorityUrl }).bi
  const required = { ...(config.required as object), tenant_id: credentials.tenantId }
  const all = [...tenant.workspaces.values()].flatMap((workspace) => workspace.reports)
  const edit = () => {
    for (const index of everyOther(reports)) tenant.editReport(all[index]?.id ?? '', { pages: ['Edited'] })
  }
  return { config: { ...config, required }, requests, edit, close }
}

const tenants: readonly [name: string, open: (items: number) => Promise<Tenant>][] = [
  ['wiki', openWiki],
  ['BI platform, administrator', (items) => openBi(items, { adminApi: true })],
  ['BI platform, member, times in lists', (items) => openBi(items, { listTimes: true })],
  ['BI platform, member, no times', (items) => openBi(items, {})],
]

/** Requests of the first scan, of one of the unchanged tenant, and of one after one item in a hundred was edited. */
export async function* countScanRequests(sizes: readonly number[]): AsyncGenerator<ScanRequests> {
  for (const [name, open] of tenants) for (const items of sizes) yield countScans(name, items, await open(items))
}

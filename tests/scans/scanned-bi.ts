import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BiTenant } from '../../src/sample/bi/tenant.ts'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import type { Scan } from '../../src/scans/model.ts'
import { type SampleBi, startSampleBi } from '../sample/servers.ts'
import { type Planted, plantedBi } from './planted.ts'
import { listKept, openSectionedBench } from './sectioned.ts'
import type { Workbench } from './workbench.ts'

export interface ScannedBi {
  planted: Planted<BiTenant>
  server: SampleBi
  bench: Workbench
  /** The scan of everything that was planted. */
  first: Scan
  close(): Promise<void>
}

export interface ScannedBiOptions {
  /** Whether administrators' calls are answered. */
  adminApi: boolean
  /** Options of the source. */
  optional?: object
  /** Whether the source has the token of a person. */
  isPerson?: boolean
  /** Changes the tenant before the first scan. */
  prepare?: (tenant: BiTenant) => void
}

/** A data folder after the first scan of a tenant, and where that listened. */
interface Prepared {
  files: ReadonlyMap<string, Buffer>
  ports: { port: number; authorityPort: number }
  first: Scan
}

const prepared = new Map<string, Prepared>()

/** A BI tenant that was scanned once. Tests with the same options begin with a copy of the same data folder. */
export async function openScannedBi(options: ScannedBiOptions): Promise<ScannedBi> {
  // A token of a person is of one server, and a database on a server is no file.
  const isOnce = options.isPerson === true || options.prepare !== undefined
  if (isOnce || process.env.ASSAY_TEST_STORE !== undefined) {
    const scanned = await openTenant(options, openSectionedBench())
    await createSource(scanned, options)
    return { ...scanned, first: await scanned.bench.scan() }
  }
  const key = JSON.stringify([options.adminApi, options.optional])
  const known = prepared.get(key) ?? (await prepare(options))
  prepared.set(key, known)
  const home = mkdtempSync(join(tmpdir(), 'assay-scanned-'))
  for (const [name, bytes] of known.files) writeFileSync(join(home, name), bytes, { mode: 0o600 })
  const bench = openSectionedBench(home)
  const remove = () => rmSync(home, { recursive: true })
  try {
    const { close, ...opened } = await openTenant(options, bench, known.ports)
    return { ...opened, first: known.first, close: () => close().then(remove) }
  } catch (error) {
    await bench.close()
    remove()
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    // Another process listens there meanwhile.
    prepared.delete(key)
    return await openScannedBi(options)
  }
}

async function prepare(options: ScannedBiOptions): Promise<Prepared> {
  const home = mkdtempSync(join(tmpdir(), 'assay-scanned-'))
  const opened = await openTenant(options, openSectionedBench(home))
  await createSource(opened, options)
  const first = await opened.bench.scan()
  await opened.close()
  const files = new Map(readdirSync(home).map((name) => [name, readFileSync(join(home, name))]))
  rmSync(home, { recursive: true })
  const { port, authorityPort } = opened.server
  return { files, ports: { port, authorityPort }, first }
}

async function openTenant(options: ScannedBiOptions, bench: Workbench, ports: Partial<Prepared['ports']> = {}) {
  const planted = plantedBi()
  options.prepare?.(planted.tenant)
  const { adminApi } = options
  const now = () => bench.clock.now
  const server = await startSampleBi({ tenant: planted.tenant, scanPolls: 0, adminApi, now, ...ports })
  const close = async () => {
    await bench.close()
    await server.close()
  }
  return { planted, server, bench, close }
}

async function createSource({ bench, server }: Omit<ScannedBi, 'first'>, options: ScannedBiOptions): Promise<void> {
  const urls = { wikiUrl: server.url, biUrl: server.url, authorityUrl: server.authorityUrl }
  const { config } = sampleSourceConfigs(urls).bi
  const application = { ...(config.required as object), tenant_id: server.credentials.tenantId }
  await bench.run('create_source', {
    name: 'fake',
    config: {
      ...config,
      required: options.isPerson === true ? { auth_mode: 'ACCESS_TOKEN' } : application,
      ...(options.isPerson === true ? { masked: { access_token: server.issueToken('person') } } : {}),
      optional: { ...(config.optional as object), ...options.optional },
      detectors: [{ type: 'WORDS' }],
    },
  })
}

export const countKept = (bench: Workbench, status: string) =>
  listKept(bench).filter((finding) => finding.status === status).length
export const codesOf = (scan: Scan) => scan.warnings.map(({ code }) => code)

import { startSampleBi } from '../../src/sample/bi/server.ts'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { startSampleWiki } from '../../src/sample/wiki/server.ts'
import { plantedBi, plantedWiki } from './planted.ts'
import { listKept, openSectionedBench } from './sectioned.ts'
import { decide, listWithheld, scanAndCompare, scanLater, type Withheld, watchReplies } from './withheld.ts'

type Options = Record<string, Record<string, unknown>>

export interface PlatformCase {
  platform: 'WIKI' | 'BI_PLATFORM'
  /** Whether administrators' calls are answered. */
  adminApi?: boolean
  /** Options of the source, by group. */
  optional?: Options
}

export async function startPlatform({ platform, adminApi = false, optional = {} }: PlatformCase) {
  const connection = { max_retries: 0 }
  if (platform === 'WIKI') {
    const planted = plantedWiki()
    const server = await startSampleWiki({ tenant: planted.tenant })
    const { config } = sampleSourceConfigs({ wikiUrl: server.url, biUrl: server.url, authorityUrl: server.url }).wiki
    return { planted, server, config: { ...config, optional: { ...optional, connection } } }
  }
  const planted = plantedBi()
  const server = await startSampleBi({ tenant: planted.tenant, adminApi, scanPolls: 0 })
  const urls = { wikiUrl: server.url, biUrl: server.url, authorityUrl: server.authorityUrl }
  const { config } = sampleSourceConfigs(urls).bi
  const required = { ...(config.required as object), tenant_id: server.credentials.tenantId }
  const all = { ...(config.optional as Options), ...optional }
  return { planted, server, config: { ...config, required, optional: all } }
}

/** Options that leave nothing out. */
const reshaping = new Set(['include_personal_workspaces', 'extract_datasets_to_containers'])

/** Every boolean option of a source the other way round, where that leaves something out. */
function listSwitches(optional: Options): Withheld[] {
  return Object.entries(optional).flatMap(([group, options]) =>
    Object.entries(options).flatMap(([name, value]): Withheld[] =>
      typeof value === 'boolean' && !reshaping.has(name)
        ? [{ name: `option ${name} is ${!value}`, optional: { [group]: { [name]: !value } } }]
        : [],
    ),
  )
}

export interface WithheldOutcome {
  cases: number
  planted: number
  /** What went wrong, by case. */
  problems: string[]
}

/**
 * Withholds every part of a tenant in turn: nothing may be resolved, and it is said. Then takes what was planted away:
 * everything is resolved but what a person has decided.
 */
export async function runWithheld(
  platformCase: PlatformCase,
  take: (index: number, name: string) => boolean,
): Promise<WithheldOutcome> {
  const { planted, server, config } = await startPlatform(platformCase)
  const bench = openSectionedBench()
  const problems: string[] = []
  try {
    const detectors = [{ type: 'WORDS' }]
    await bench.run('create_source', { name: 'fake', config: { ...config, detectors } })
    const seen = watchReplies(server)
    const first = await bench.scan()
    if (first.status !== 'COMPLETED') problems.push(`the first scan is ${first.status}: ${first.reason}`)
    await decide(bench)
    await bench.scan()
    server.faults.splice(0)
    const count = listKept(bench).length
    const optional = config.optional as Options
    const cases = [...listWithheld(seen), ...listSwitches(optional)].filter(({ name }, index) => take(index, name))
    for (const withheld of cases) {
      const say = (problem: string) => problems.push(`${withheld.name}: ${problem}`)
      server.faults.splice(0, server.faults.length, ...(withheld.faults ?? []))
      if (withheld.optional !== undefined) await configure(withheld.optional)
      const told = await scanAndCompare(bench)
      for (const change of told.changed.slice(0, 3)) say(change)
      const isSaid = told.scan.status !== 'COMPLETED' || told.scan.warnings.length > 0
      if (told.unseen > 0 && !isSaid) say(`${told.unseen} findings were not seen, and nothing is said`)
      server.faults.splice(0)
      if (withheld.optional !== undefined) await configure(optional)
      const restored = await scanAndCompare(bench)
      for (const change of restored.changed.slice(0, 3)) say(`afterwards ${change}`)
      if (restored.unseen > 0) say(`${restored.unseen} findings are not found afterwards`)
      planted.clean()
      await scanLater(bench)
      await scanLater(bench)
      const left = listKept(bench).filter(({ status }) => status === 'OPEN')
      for (const { asset, excerpt } of left.slice(0, 3)) say(`not resolved when removed: ${asset}: ${excerpt}`)
      planted.plant()
      await scanLater(bench)
      const back = listKept(bench).filter(({ status }) => status === 'RESOLVED')
      for (const { asset, excerpt } of back.slice(0, 3)) say(`not found again: ${asset}: ${excerpt}`)
    }
    return { cases: cases.length, planted: count, problems }
  } finally {
    await bench.close()
    await server.close()
  }

  async function configure(optional: object): Promise<void> {
    await bench.run('update_source', { id: 'fake', config: { optional } })
  }
}

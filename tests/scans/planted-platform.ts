import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { startSampleBi, startSampleWiki } from '../sample/servers.ts'
import { plantedBi, plantedWiki } from './planted.ts'

export type Options = Record<string, Record<string, unknown>>

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

import { setTimeout as sleep } from 'node:timers/promises'
import * as bi from '../../src/sample/bi/server.ts'
import type { RequestRecord } from '../../src/sample/exchange.ts'
import type { Exchange } from '../../src/sample/listener.ts'
import * as tenants from '../../src/sample/tenants.ts'
import * as wiki from '../../src/sample/wiki/server.ts'
import { deliver, type SampleFault, takeFault } from './fault.ts'

interface Disturbance {
  faults?: SampleFault[]
  latencyMs?: number
}

interface Disturbed {
  /** All requests to any of the tenant's servers, oldest first. */
  requests: RequestRecord[]
  /** Evaluated for each request; may be changed while the server runs. */
  faults: SampleFault[]
}

export type SampleWikiOptions = Omit<wiki.SampleWikiOptions, 'respond'> & Disturbance
export type SampleBiOptions = Omit<bi.SampleBiOptions, 'respond'> & Disturbance
export interface SampleWiki extends wiki.SampleWiki, Disturbed {}
export interface SampleBi extends bi.SampleBi, Disturbed {}
export interface SampleTenants extends tenants.SampleTenants {
  wiki: SampleWiki
  bi: SampleBi
}

/** Records the requests of a tenant, and lets some of them fail. */
export function disturb({ faults: given = [], latencyMs = 0 }: Disturbance) {
  const requests: RequestRecord[] = []
  const faults = [...given]
  const respond = async (exchange: Exchange) => {
    requests.push(exchange.request)
    if (latencyMs > 0) await sleep(latencyMs)
    await deliver(exchange, takeFault(faults, exchange.request))
  }
  return { requests, faults, respond }
}

export async function startSampleWiki(options: SampleWikiOptions = {}): Promise<SampleWiki> {
  const { respond, ...disturbed } = disturb(options)
  return { ...(await wiki.startSampleWiki({ ...options, respond })), ...disturbed }
}

export async function startSampleBi(options: SampleBiOptions = {}): Promise<SampleBi> {
  const { respond, ...disturbed } = disturb(options)
  return { ...(await bi.startSampleBi({ ...options, respond })), ...disturbed }
}

export async function startSampleTenants(
  options: { wiki?: SampleWikiOptions; bi?: SampleBiOptions } = {},
): Promise<SampleTenants> {
  const [ofWiki, ofBi] = [disturb(options.wiki ?? {}), disturb(options.bi ?? {})]
  const started = await tenants.startSampleTenants({
    wiki: { ...options.wiki, respond: ofWiki.respond },
    bi: { ...options.bi, respond: ofBi.respond },
  })
  return { ...started, wiki: { ...started.wiki, ...ofWiki }, bi: { ...started.bi, ...ofBi } }
}

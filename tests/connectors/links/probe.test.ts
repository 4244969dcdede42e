import { describe, expect, it } from 'vitest'
import type { Guard } from '../../../src/connectors/links/guard.ts'
import { createGuard } from '../../../src/connectors/links/guard.ts'
import { createHosts } from '../../../src/connectors/links/hosts.ts'
import { createProbe, defaultTiming } from '../../../src/connectors/links/probe.ts'

const { signal } = new AbortController()
const start = { admitted: true, url: new URL('https://shop.com/'), listed: false } as const

/** A probe whose requests end in these replies, and the addresses that it asked. */
function openProbe(reply: { status: number; headers: Record<string, string> }) {
  const asked: string[] = []
  const guard: Guard = {
    admit: createGuard({ allowHosts: [] }).admit,
    send: async ({ url }) => {
      asked.push(url.href)
      return { ...reply, bytes: new Uint8Array(), cut: false }
    },
  }
  const probe = createProbe({ guard, hosts: createHosts(signal), signal, now: Date.now, timing: defaultTiming })
  return { asked, probe }
}

describe('a link', () => {
  it('is not followed from https to http', async () => {
    const { asked, probe } = openProbe({ status: 302, headers: { location: 'http://shop.com/plain' } })
    const { verdict } = await probe(start, true, { leftMs: 1000 })
    expect(verdict).toEqual({ state: 'blocked', reason: 'redirect_insecure' })
    expect(asked).toEqual(['https://shop.com/'])
  })

  it('gets no further request after its time limit', async () => {
    const { asked, probe } = openProbe({ status: 200, headers: {} })
    await expect(probe(start, true, { leftMs: 0 })).rejects.toThrow('timeout')
    expect(asked).toEqual([])
  })
})

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createHosts, HostClosed, OutOfRequests } from '../../../src/connectors/links/hosts.ts'

it('an unlisted host gets at most two requests at a time, a quarter of a second apart', async () => {
  const hosts = createHosts(new AbortController().signal)
  const starts: number[] = []
  let running = 0
  let most = 0
  const work = async () => {
    starts.push(performance.now())
    most = Math.max(most, ++running)
    await sleep(600)
    running--
  }
  await Promise.all(Array.from({ length: 4 }, () => hosts.take(new URL('https://shop.com/'), false, work)))
  const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThan(200)
  expect(most).toBe(2)
})

it('a scan sends at most a thousand requests to unlisted hosts', async () => {
  const hosts = createHosts(new AbortController().signal)
  const url = (index: number, name: string) => new URL(`https://${name}${index}.com/`)
  let done = 0
  const work = async () => {
    done++
  }
  await Promise.all(Array.from({ length: 1000 }, (_, index) => hosts.take(url(index, 'shop'), false, work)))
  await expect(hosts.take(url(1, 'other'), false, work)).rejects.toBeInstanceOf(OutOfRequests)
  await hosts.take(url(1, 'wiki'), true, work)
  expect(done).toBe(1001)
})

it('a host that keeps requesting waits of hours gets no further requests', async () => {
  const hosts = createHosts(new AbortController().signal)
  const url = new URL('https://shop.com/')
  const host = hosts.stateOf(url, false)
  const ask = () => hosts.take(url, false, async () => 'asked')
  for (const _refusal of [1, 2]) host.applyRateLimit(429, 3_600_000)
  expect(await ask()).toBe('asked')
  host.applyRateLimit(200, undefined)
  for (const _refusal of [1, 2]) host.applyRateLimit(429, 3_600_000)
  expect(await ask()).toBe('asked')
  host.applyRateLimit(429, 3_600_000)
  await expect(ask()).rejects.toBeInstanceOf(HostClosed)
})

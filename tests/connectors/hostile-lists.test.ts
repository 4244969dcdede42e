import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { exceedsJsonLimits } from '../../src/connectors/http/json-limits.ts'
import { ListLimit, type ListUse } from '../../src/connectors/http/list-limit.ts'
import { clientFor, failureOf } from './http-client.ts'
import { sendJson, startLoopback } from './loopback.ts'

describe('a JSON body', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  it.each<[string, string, boolean]>([
    ['100 levels', nested(100), false],
    ['101 levels', nested(101), true],
    ['brackets in texts', JSON.stringify(['['.repeat(500), '"[\\"'.repeat(500)]), false],
    ['many lists side by side', `[${'[],'.repeat(500)}0]`, false],
    ['half a million values', `[${'0,'.repeat(499_998)}0]`, false],
    ['more than half a million values', `[${'0,'.repeat(500_000)}0]`, true],
    ['commas in texts', JSON.stringify(','.repeat(2_000_000)), false],
    ['a text without an end', '"'.padEnd(1_000, '['), false],
  ])('of %s exceeds the limits: %#', (_name, text, expected) => {
    expect(exceedsJsonLimits(Buffer.from(text))).toBe(expected)
  })

  it('beyond the limits is refused without being parsed', async () => {
    const server = await startLoopback((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(`{"results":${nested(5_000)}}`)
    })
    const error = await failureOf(clientFor(server).json({ path: '/x' }))
    expect(error.facts.reason).toBe('too_large')
  })
})

describe('a list', () => {
  /** Counts equal pages until the limit is exceeded, at most this many. */
  const countPages = (
    use: ListUse,
    page: { items: number; bytes: number },
    { held = { bytes: 0 }, before = 0 } = {},
  ) => {
    const limit = new ListLimit(use, held, before)
    for (let pages = 1; pages <= 30_000; pages++) {
      try {
        limit.count(performance.now(), page)
      } catch (error) {
        expect(error).toMatchObject({ code: 'unavailable', facts: { reason: 'list_too_long' } })
        return pages
      }
    }
    return Number.POSITIVE_INFINITY
  }

  it('is bounded by its pages, items and size, by its use', () => {
    const megabyte = 1024 * 1024
    expect(countPages('held', { items: 0, bytes: 0 })).toBe(1_001)
    expect(countPages('held', { items: 250, bytes: 1 })).toBe(401)
    expect(countPages('held', { items: 1, bytes: megabyte })).toBe(33)
    expect(countPages('indexed', { items: 1, bytes: megabyte })).toBe(97)
    expect(countPages('stored', { items: 50, bytes: 16 * megabyte })).toBe(20_001)
  })

  it('shares its size with other lists that are held, and continues the count of its pages', () => {
    const held = { bytes: 0 }
    countPages('held', { items: 1, bytes: 1024 * 1024 }, { held })
    expect(countPages('held', { items: 1, bytes: 1 }, { held })).toBe(1)
    expect(countPages('stored', { items: 50, bytes: 1 }, { before: 19_999 })).toBe(2)
  })
})

it('reads large bodies one after the other', async () => {
  const body = JSON.stringify(['x'.repeat(3_000_000)])
  const server = await startLoopback((_request, response) => sendJson(response, JSON.parse(body)))
  const client = clientFor(server, { timeoutMs: 20_000 })
  const replies = await Promise.all(Array.from({ length: 6 }, () => client.json({ path: '/x' })))
  expect(replies.map(({ size }) => size)).toEqual(Array(6).fill(body.length))
})

it('does not read the rest of a body after its time limit', async () => {
  const part = gzipSync(Buffer.alloc(1_000_000))
  let sent = 0
  const server = await startLoopback((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    const timer = setInterval(() => {
      sent++
      response.write(part)
    }, 10)
    response.on('close', () => clearInterval(timer))
  })
  const before = process.memoryUsage().arrayBuffers
  const error = await failureOf(clientFor(server, { timeoutMs: 100, maxRetries: 0 }).json({ path: '/x' }))
  expect(error.facts.reason).toBe('network')
  const atEnd = sent
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(sent - atEnd).toBeLessThan(10)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000_000)
})

import { check } from 'recheck'
import { describe, expect, it } from 'vitest'
import { documentDetectors } from '../../src/detectors/index.ts'
import { runDetectors } from '../../src/detectors/runner.ts'
import { listPatterns } from './patterns.ts'

const AT_ONCE = 2
const MEGABYTES = 2
const LENGTH = MEGABYTES * 1024 * 1024

it('no built-in pattern can be made to run out of hand', async () => {
  const waiting = listPatterns()
  expect(waiting.length).toBeGreaterThan(300)
  const vulnerable: string[] = []
  const work = async () => {
    for (let pattern = waiting.pop(); pattern !== undefined; pattern = waiting.pop()) {
      const { name, source, flags } = pattern
      const anchored = flags.includes('y') ? `^(?:${source})` : source
      const verdict = await check(anchored, flags.replace(/[gy]/g, ''), { timeout: 1_500 })
      if (verdict.status === 'vulnerable') vulnerable.push(`${name} /${source}/ ${verdict.complexity.summary}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  expect(vulnerable).toEqual([])
}, 300_000)

const anywhere = ['a', ' ', '\n', '<', '_', 'é', '😀', '1 ', '&#73;']
const hostile: Record<string, readonly string[]> = {
  SECRETS: [
    'password=',
    'token: ',
    '"token":"',
    '<password ',
    'secret-',
    'pass(',
    'api_key ',
    'http://a:',
    'http://a:b@',
    'eyJ',
    'eyJhbGciOi.',
    '-----BEGIN RSA PRIVATE KEY-----',
    'kind: Secret\ndata:\n',
    'curl -u ',
    'authorization: bearer ',
    'sk-',
    ':AA',
    'T3BlbkFJ',
    '$2a$',
    ':5432:',
    'identified by ',
    'login a / ',
    '| password |\n|---|\n',
    '|password',
    'mysql ',
  ],
  PII: [
    '(',
    '1',
    '1.',
    '1:',
    'a@',
    'a.b@c.d.',
    '+4 ',
    'GB82 ',
    'call me on 415-555-2671 ',
    '4929 4212 ',
    '756.9217.',
    'pesel 44051401359 ',
    '10.1.2.3 ',
    '::1 ',
  ],
  PROMPT_INJECTION: [
    '\u200b',
    'ab ',
    '%41',
    'QUJD',
    'ignore all previous ',
    'ignore your ',
    'forget everything you ',
    'from now on ',
    'you are ',
    'dan ',
    'mode ',
    'user: \n',
    'assistant: \nuser:',
    'print the ',
    'send the token ',
    'without telling ',
    '](http://a/?',
    '[system]',
    '<|',
    'i g n o r e ',
    '1gn0re ',
    'instrucitons ',
    'предыдущие ',
    '忽略',
    '忽略之前',
    '無視指示',
    'note to ai ',
    'if you are an ai ',
    'your response ',
  ],
}

describe.each(documentDetectors.map((detector) => [detector.type, detector] as const))('%s', (type, detector) => {
  const config = detector.config.parse({})
  const asset = { key: 'a', kind: 'wiki.page', name: 'Page', url: '' }

  it.each([...anywhere, ...(hostile[type] ?? [])])('takes less than two seconds for %j over and over', (piece) => {
    const text = piece.repeat(Math.ceil(LENGTH / piece.length)).slice(0, LENGTH)
    const before = process.cpuUsage()
    runDetectors(
      { mime: 'text/plain', parts: [{ kind: 'text', path: 'body', text }], links: [] },
      { asset, detectors: [{ detector, config }], now: 0, fingerprint: (canonical) => canonical },
    )
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(2_000)
  })
})

import { describe, expect, it } from 'vitest'
import { isMaskOf, maskCredentials } from '../../src/kernel/redaction.ts'
import { createLog } from '../../src/runtime/log.ts'

const value = ['S3cr3t', 'V4lue', 'x9'].join('')

describe('scrub', () => {
  it.each([
    [
      'a header',
      `authorization: Basic ${Buffer.from(`me:${value}`).toString('base64')}`,
      Buffer.from(`me:${value}`).toString('base64'),
    ],
    ['a bearer', `Bearer ${value}${value}`, value],
    ['userinfo', `https://me:${value}@host/x`, value],
    ['userinfo in a normalized path', `/data/postgres:/me:${value}@host/x`, value],
    ['a query value', `https://host/x?access_token=${value}&y=1`, value],
    ['a keyed member', JSON.stringify({ client_secret: value, apiToken: value }), value],
    ['a signed token', `see eyJhbGciOiJub25lIn0.eyJ${value}.${value}${value}.`, value],
    ['a member that never ends', `{"token": "${value}`, value],
    ['an escaped quote in a member', JSON.stringify({ password: `a"${value}` }), value],
  ])('masks %s', (_name, line, secret) => {
    expect(maskCredentials(line)).not.toContain(secret)
  })

  it('does not change ordinary lines', () => {
    const line =
      '{"level":"info","message":"scan done","source":"Company wiki","pages":12,"url":"http://127.0.0.1:7411/docs?x=1"}'
    expect(maskCredentials(line)).toBe(line)
  })
})

it('an address keeps all but its credential', () => {
  expect(maskCredentials(`https://u:${value}@h.example/p?sig=${value}&page=2#f`)).toBe(
    'https://********@h.example/p?sig=********&page=2#f',
  )
})

it.each([
  ['a ******** c', 'a b c', true],
  ['********', 'anything', true],
  ['a ******** c ********', 'a b c d', true],
  ['same', 'same', true],
  ['a ******** c', 'a b d', false],
  ['a ******** a', 'a ', false],
  ['other', 'same', false],
])('whether %j is a mask of %j: %j', (masked, text, expected) => expect(isMaskOf(masked, text)).toBe(expected))

describe('createLog', () => {
  it('writes one scrubbed JSON object per line, at its level and above', () => {
    const lines: string[] = []
    const log = createLog({ level: 'warn', write: (line) => lines.push(line), now: () => 0 })
    log.info('not this')
    log.error('this', { token: value, error: new Error(`https://a:${value}@b/`) })
    expect(lines).toHaveLength(1)
    expect(lines[0]).not.toContain(value)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      time: '1970-01-01T00:00:00.000Z',
      level: 'error',
      message: 'this',
    })
  })
})

import { describe, expect, it } from 'vitest'
import { isEmailAddress } from '../../../src/connectors/wiki/email.ts'

describe('an email address', () => {
  it.each([
    'ada@example.com',
    'ada.lovelace+wiki@sub.example.co.uk',
    "o'brien!#$%&*/=?^_`{|}~-@example.org",
    'ada@localhost',
    'a@b',
    '"ada lovelace"@example.com',
    '"a@b"@example.com',
    String.raw`"a\"b"@example.com`,
    'ada@[127.0.0.1]',
    'ada@[IPv6:2001:db8::1]',
    'jürgen@müller.de',
    '用户@例子.公司',
    'अजय@उदाहरण.भारत',
    `${'a'.repeat(64)}@example.com`,
    'ada@xn--mller-kva.de',
    'ada@123.com',
  ])('is %j', (text) => expect(isEmailAddress(text)).toBe(true))

  it.each([
    'nobody',
    '',
    '@example.com',
    'ada@',
    'ada@@example.com',
    'a da@example.com',
    ' ada@example.com',
    'ada@example.com ',
    '.ada@example.com',
    'ada.@example.com',
    'a..da@example.com',
    'ada@-example.com',
    'ada@example-.com',
    'ada@exam_ple.com',
    'ada@example..com',
    'ada@example.com.',
    'ada@[127.0.0.256]',
    'ada@[2001:db8::1]',
    'ada@[IPv6:127.0.0.1]',
    'ada\u0000@example.com',
    'ada\r\n@example.com',
    '"ada@example.com',
    'Ada <ada@example.com>',
    `${'a'.repeat(65)}@example.com`,
    `${'ü'.repeat(33)}@example.com`,
    `ada@${'a'.repeat(64)}.com`,
    `ada@${'a.'.repeat(130)}com`,
  ])('is not %j', (text) => expect(isEmailAddress(text)).toBe(false))
})

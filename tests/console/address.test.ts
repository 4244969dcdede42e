import './dimensions.ts'
import { describe, expect, test } from 'vitest'

const { checkAddress } = await import('../../src/console/address.ts')
const { parseRoute } = await import('../../src/console/route.ts')

const check = (address: string) => {
  const [path = '', query = ''] = address.split('?')
  return checkAddress(parseRoute(`/console/${path}`, query))
}

describe('an address', () => {
  test.each([
    ['explore?from=2026-13-99', '/console/explore?from=2026-12-31'],
    ['explore?from=2026-02-30&to=2026-03-31', '/console/explore?from=2026-02-28&to=2026-03-31'],
    ['explore?from=2026-05-01&to=2026-04-01', '/console/explore?from=2026-04-01&to=2026-05-01'],
    ['explore?from=yesterday', '/console/explore'],
    ['explore?range=30', '/console/explore?range=30d'],
    ['explore?grain=weekly', '/console/explore?grain=week'],
    ['explore?brush=2026-06-31..2026-07-04', '/console/explore?brush=2026-06-30..2026-07-04'],
    ['explore?brush=june', '/console/explore'],
    ['explore?severity=HGIH', '/console/explore?severity=HIGH'],
    ['explore?severty=HIGH', '/console/explore?severity=HIGH'],
    ['findings?severities=CRITICAL,HIGH', '/console/findings?severity=CRITICAL,HIGH'],
    ['findings?overdue=yes', '/console/findings'],
    ['findings?tz=Mars/Olympus&q=key', '/console/findings?q=key'],
    ['findings?sort=oldest', '/console/findings?sort=newest'],
    ['?dashboard=mine', '/console/?d=mine'],
  ])('%s is refused, and corrected to %s', (address, corrected) => {
    const wrong = check(address)
    expect(wrong?.messages).toHaveLength(1)
    expect(wrong?.corrected).toBe(corrected)
    expect(check(corrected.replace('/console/', ''))).toBeUndefined()
  })

  test.each([
    '',
    '?d=mine',
    'explore?metric=open-findings&range=90d&compare=off&severity=high&tz=Europe/Berlin',
    'explore?from=2026-05&to=2026-06-01T10:00:00Z&brush=2026-05-02..2026-05-09',
    'findings?status=all&overdue=true&sort=severity&container=Nowhere&q=a&id=7',
    'sources?x=1',
  ])('%s is read', (address) => expect(check(address)).toBeUndefined())
})

import { expect, it } from 'vitest'
import { toStoredClient } from '../../src/audit/audit.store.ts'

it('stores the name of a program as one short line', () => {
  expect(toStoredClient(undefined)).toBeUndefined()
  expect(toStoredClient(' \u200b ')).toBeUndefined()
  expect(toStoredClient('claude-code 2.1\n<b>x</b>')).toBe('claude-code 2.1bx/b')
  expect(toStoredClient('x'.repeat(200))).toHaveLength(80)
})

it('stores no credential, although its punctuation is removed', () => {
  const [token, hidden] = ['Zx81kdLqpM2nbTr', 'ghp_9aBcD3fGh1JkLmN0pQrStUvWxYz2A4wq01K9']
  expect(toStoredClient(`https://x.example/a?access_token=${token}`)).not.toContain(token)
  expect(toStoredClient([...hidden].join('\u200b')) ?? '').not.toContain(hidden.slice(8))
})

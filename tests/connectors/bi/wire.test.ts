import { expect, it } from 'vitest'
import { toItem } from '../../../src/connectors/bi/wire.ts'
import { toSafeKey } from '../../../src/detectors/safe-text.ts'
import { credentials } from '../../support/planted.ts'

it('a GUID is converted to lower case', () => {
  expect(toItem({ Id: ' 5F1C9A0E-0C5B-4C2A-9E57-3D1B8A6F2C44 ' }).id('id')).toBe('5f1c9a0e-0c5b-4c2a-9e57-3d1b8a6f2c44')
})

it('a credential in place of an id is still recognized in a key', () => {
  const id = toItem({ id: `5f1c9a0e~${credentials.jwt}` }).id('id')
  const key = toSafeKey(`bi:dataset:${id}`, () => 7)
  expect(key.toLowerCase()).not.toContain(credentials.jwt?.slice(-12).toLowerCase())
})

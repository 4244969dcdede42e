import { expect, it } from 'vitest'
import { createNumberer } from '../../src/detectors/fingerprint.ts'
import { ReportedValues } from '../../src/detectors/reported-values.ts'
import { sanitizeAsset } from '../../src/imports/read/import-row.ts'

const identify = createNumberer(new Uint8Array(32).fill(1))

it.each(['name', 'url', 'container'] as const)(
  'the %s of an imported asset is stored without a credential',
  (member) => {
    const told = sanitizeAsset(
      { key: 'a', [member]: 'https://ana:hunter2hunter2@example.org/x' },
      identify,
      new ReportedValues(),
    )
    expect(told[member]).toContain('example.org/x')
    expect(told[member]).not.toContain('hunter2')
  },
)

it('a credential in a key is masked, and keys that differ only in it remain distinct', () => {
  const keyOf = (key: string) => sanitizeAsset({ key }, identify, new ReportedValues()).key
  const [one, other] = [
    keyOf('https://ana:hunter2hunter2@db.internal/x'),
    keyOf('https://ana:s3cretWord9s3cret@db.internal/x'),
  ]
  expect(`${one}${other}`).not.toMatch(/hunter2|s3cretWord9/)
  expect(one).not.toBe(other)
  expect(one).toBe(keyOf('https://ana:hunter2hunter2@db.internal/x'))
  expect(keyOf('repository:src/main.ts')).toBe('repository:src/main.ts')
})

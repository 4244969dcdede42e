import { expect, it } from 'vitest'
import { toToldAsset } from '../../src/scans/import-line.ts'

it.each(['name', 'url', 'container'] as const)('the %s of an imported asset is kept without a credential', (member) => {
  const told = toToldAsset({ key: 'a', [member]: 'https://ana:hunter2hunter2@example.org/x' })
  expect(told[member]).toContain('example.org/x')
  expect(told[member]).not.toContain('hunter2')
})

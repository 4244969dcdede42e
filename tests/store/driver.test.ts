import { expect, it } from 'vitest'
import { migrate } from '../../src/store/migrate.ts'

const ofVersion = (version: string) =>
  ({ prepare: () => ({ pluck: () => ({ get: () => version }) }), pragma: () => 0 }) as never

it.each(['3.51.2', '3.7.0', '2.99.99'])('SQLite %s, which can lose commits, is refused', (version) => {
  expect(() => migrate(ofVersion(version), Date.now, [])).toThrow(`SQLite ${version} is too old`)
})

it.each(['3.51.3', '3.60.0', '4.0.0'])('SQLite %s is accepted', (version) => {
  expect(() => migrate(ofVersion(version), Date.now, [])).not.toThrow()
})

import { expect, test } from 'vitest'
import { asTyped } from '../../src/cli/shell-words.ts'
import { line } from '../../src/kernel/shown.ts'

const text = line`Create it with \`assay init\`, see \`assay init --help\`, or say: assay demo`

test.each([
  [{}, text],
  [
    { home: '/my data' },
    "Create it with `assay init --home '/my data'`, see `assay init --help`, or say: assay demo --home '/my data'",
  ],
  [
    { program: 'npm run assay --' },
    'Create it with `npm run assay -- init`, see `npm run assay -- init --help`, or say: npm run assay -- demo',
  ],
])('a suggested command is written as with %j it has to be typed', (typed, wanted) => {
  expect(asTyped(text, typed)).toBe(wanted)
})

test('a command that names a data folder keeps it', () => {
  const named = line`Next: assay doctor --home /other`
  expect(asTyped(named, { home: '/mine' })).toBe(named)
})

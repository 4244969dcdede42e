import { describe, expect, it } from 'vitest'
import { expectBounded, expectDefused } from './bomb-checks.ts'
import { bombsOf, hugeInputs } from './bombs.ts'

const bombs = bombsOf(4)
const inputs = hugeInputs(0.4)

describe('bombs', () => {
  it('include at least twenty kinds', () => expect(Object.keys(bombs).length).toBeGreaterThanOrEqual(20))

  it.each(Object.entries(bombs))(
    '%s takes little time and memory and is reported',
    (name, toBytes) => expectDefused(name, toBytes()),
    60_000,
  )
})

describe('huge inputs', () => {
  it.each(Object.entries(inputs))(
    '%s is read in part within time and memory limits',
    (_, input) => expectBounded(input),
    60_000,
  )
})

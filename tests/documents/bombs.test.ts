import { describe, it } from 'vitest'
import { cases } from '../support/long.ts'
import { expectBounded, expectDefused } from './bomb-checks.ts'
import { bombsOf, hugeInputs } from './bombs.ts'

const bombs = bombsOf(cases(4, 60))
const inputs = hugeInputs(cases(0.4, 1))

describe('bombs', () => {
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

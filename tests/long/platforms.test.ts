import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FoundMachine, type Machine, openArm, openThisMachine, openWindows } from '../support/machines.ts'
import { steps } from '../support/smoke.ts'

describe.each([
  ['Windows', openWindows],
  ['Linux on ARM', openArm],
])('%s gives what this machine gives', (_, open) => {
  let here: Machine
  let there: FoundMachine
  beforeAll(() => {
    here = openThisMachine()
    there = open()
  })
  afterAll(() => {
    here.close()
    if ('run' in there) there.close()
  })

  it.for(steps)('%s', async ([, step], { skip }) => {
    if ('missing' in there) return skip(there.missing)
    expect(await step(there)).toEqual(await step(here))
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { loadConfig } from '../../src/config.ts'
import { isLockedDown, WITHHELD } from '../../src/operation/lockdown/lockdown.ts'
import { call, type Operation } from '../../src/operation/operation.ts'
import { makeTemplate, openEstate, type Template, tokenHolder } from './estate.ts'
import { examples } from './examples.ts'

let template: Template
beforeAll(async () => {
  template = await makeTemplate()
})
afterAll(() => template.remove())

/** Every number of an answer, in order. */
const numbersOf = (value: unknown): number[] =>
  typeof value === 'number'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(numbersOf)
      : []

const untrusted = operations.filter((operation) => operation.untrusted === true)

describe('an answer in lockdown', () => {
  it.each(untrusted.map((operation) => ({ name: operation.name, operation })))(
    '$name keeps its counts and ids',
    async ({ operation }) => {
      for (const input of examples[operation.name]?.(template.ids) ?? []) {
        const [open, locked] = [openEstate(template), openEstate(template)]
        const full = await call(operation, structuredClone(input), open.context).finally(open.close)
        const less = await call(operation, structuredClone(input), { ...locked.context, lockdown: true }).finally(
          locked.close,
        )
        expect(numbersOf(less)).toEqual(numbersOf(full))
        expect(Object.keys(less as object)).toEqual(Object.keys(full as object))
      }
    },
  )

  it('groups by built-in values keep their names, groups by names from tenants are masked', async () => {
    const { context, close } = openEstate(template)
    const query = operations.find(({ name }) => name === 'query_metric') as Operation
    const ask = async (dimensions: string[]) => {
      const answer = await call(query, { metricSlug: 'total-findings', dimensions }, { ...context, lockdown: true })
      return (answer as { breakdown: { dimensionValue: string }[] }).breakdown.map(
        ({ dimensionValue }) => dimensionValue,
      )
    }
    expect(await ask(['severity'])).toContain('CRITICAL')
    expect(new Set(await ask(['container']))).toEqual(new Set([WITHHELD]))
    expect(await ask(['severity', 'container'])).toContain(`CRITICAL / ${WITHHELD}`)
    close()
  })
})

describe('lockdown', () => {
  it.each([
    [false, undefined, false],
    [false, true, true],
    [true, undefined, true],
    [true, false, true],
  ])('of the server %j and of the caller %j gives %j: a caller can only tighten it', (server, caller, locked) => {
    const asked = { ...tokenHolder, ...(caller === undefined ? {} : { lockdown: caller }) }
    expect(isLockedDown({ lockdown: server, caller: asked })).toBe(locked)
  })

  it('that is set in one setting cannot be lifted by another', () => {
    const home = '/nowhere'
    expect(loadConfig({ home, lockdown: false }, { ASSAY_LOCKDOWN: '1' }).lockdown).toBe(true)
    expect(loadConfig({ home, lockdown: true }, { ASSAY_LOCKDOWN: '0' }).lockdown).toBe(true)
    expect(loadConfig({ home }, { ASSAY_LOCKDOWN: '0' }).lockdown).toBe(false)
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { operations } from '../../src/catalogue.ts'
import { loadConfig } from '../../src/config.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { createMcpSurface } from '../../src/mcp/surface.ts'
import { isLockedDown, WITHHELD, withholdSuggestions } from '../../src/operation/lockdown/lockdown.ts'
import { call, type Operation, operation } from '../../src/operation/operation.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { openContext } from '../support/context.ts'
import { exchange, makeTemplate, openEstate, type Template, tenantMark, tokenHolder } from './estate.ts'
import { examples } from './examples.ts'

let template: Template
beforeAll(async () => {
  template = await makeTemplate()
})
afterAll(() => template.remove())

const untrusted = operations.filter((operation) => operation.untrusted === true)
const each = operations.map((operation) => ({ name: operation.name, operation }))
const listExamples = ({ name }: Operation) => examples[name]?.(template.ids) ?? []

/** Every number of an answer, in order. */
const numbersOf = (value: unknown): number[] =>
  typeof value === 'number'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(numbersOf)
      : []

describe('in lockdown', () => {
  it.each(each)('$name returns no text from tenants', async ({ operation }) => {
    for (const input of listExamples(operation)) {
      const { context, close } = openEstate(template)
      const locked = { ...context, caller: tokenHolder, lockdown: true }
      const answer = JSON.stringify(await call(operation, structuredClone(input), locked).finally(close))
      expect(answer).not.toContain(tenantMark)
    }
  })

  it.each(untrusted.map((operation) => ({ name: operation.name, operation })))(
    '$name keeps its counts and ids',
    async ({ operation }) => {
      for (const input of listExamples(operation)) {
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

  it('the text content of tools also omits text from tenants', async () => {
    const { context, close } = openEstate(template)
    const contextFor = (asked: object) => ({ ...context, ...asked, lockdown: true })
    const surface = createMcpSurface({
      operations,
      toolsets: ['agent', 'admin'],
      contextFor,
      version: '1',
      log: silentLog,
    })
    for (const operation of untrusted.filter(({ toolset, effect }) => toolset !== undefined && effect === 'read')) {
      for (const input of listExamples(operation)) {
        const answer = JSON.stringify(await surface.callTool(operation.name, structuredClone(input), exchange))
        expect(answer, operation.name).not.toContain(tenantMark)
      }
    }
    close()
  })

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

  it('errors suggest no names from tenants', () => {
    const error = new AppError('invalid_input', `Perhaps ${tenantMark}?`, {
      suggestions: [
        { value: tenantMark, kind: 'container' },
        { value: 'severity', kind: 'dimension' },
      ],
    })
    const told = withholdSuggestions(error)
    expect(JSON.stringify([told.message, told.facts])).not.toContain(tenantMark)
    expect(told.facts.suggestions).toEqual([{ value: 'severity', kind: 'dimension' }])
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

  it('errors of operations suggest no names from tenants', async () => {
    const failing = operation({
      ...{ name: 'fail', title: 'Fail', summary: 'Fails.', effect: 'read', scope: 'read' },
      ...{ input: z.strictObject({}), output: z.object({}), untrusted: true },
      run: () => {
        const suggestions = [{ value: tenantMark, kind: 'container' }]
        throw new AppError('not_found', `There is none; did you mean ${tenantMark}?`, { suggestions })
      },
    })
    const told = async (lockdown: boolean) => {
      const error = await call(failing, {}, { ...openContext(), lockdown }).catch((reason: AppError) => reason)
      return JSON.stringify([(error as AppError).message, (error as AppError).facts])
    }
    expect(await told(false)).toContain(tenantMark)
    expect(await told(true)).not.toContain(tenantMark)
  })

  it('that is set in one setting cannot be lifted by another', () => {
    const home = '/nowhere'
    expect(loadConfig({ home, lockdown: false }, { ASSAY_LOCKDOWN: '1' }).lockdown).toBe(true)
    expect(loadConfig({ home, lockdown: true }, { ASSAY_LOCKDOWN: '0' }).lockdown).toBe(true)
    expect(loadConfig({ home }, { ASSAY_LOCKDOWN: '0' }).lockdown).toBe(false)
  })
})

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { operations } from '../../src/catalogue.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { parseInput } from '../../src/operation/operation.ts'
import { listConfigProblems } from '../../src/sources/config.ts'
import { installedPlugins } from '../../src/sources/operations.ts'

const ofLibrary = /\b(?:Invalid|Unrecognized|received|Too (?:big|small)|discriminator)\b|expected (?:string|number|one)/

function messagesOf(schema: z.ZodType, raw: unknown): string[] {
  try {
    parseInput(schema, raw)
    return []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [error.message, ...(error.facts.issues ?? []).map(({ message }) => message)]
  }
}

const junk = [undefined, null, '', 'x', -1, 1.5, 1e12, true, [], [1], {}, { a: 1 }, 'a'.repeat(5000), Number.NaN]

describe('a sentence about input', () => {
  it.each([
    z.email(),
    z.url(),
    z.uuid(),
    z.iso.datetime(),
    z.cidrv4(),
    z.string().regex(/^a$/),
    z.number().multipleOf(5),
    z.strictObject({ a: z.string() }),
    z.union([z.string().min(9), z.strictObject({ a: z.string() })]),
    z.discriminatedUnion('a', [z.strictObject({ a: z.literal('X') }), z.strictObject({ a: z.literal('Y') })]),
    z.record(z.enum(['k']), z.number()),
    z.tuple([z.string()]),
    z.date(),
  ])('is our own for every kind of problem', (schema) => {
    for (const raw of junk) for (const message of messagesOf(schema, raw)) expect(message).not.toMatch(ofLibrary)
  })

  it('is our own for every operation', () => {
    for (const { input } of operations) {
      const names = Object.keys((input as z.ZodObject).shape ?? {})
      for (const raw of junk) {
        const given = Object.fromEntries(names.map((name) => [name, raw]))
        for (const message of [...messagesOf(input, raw), ...messagesOf(input, given)])
          expect(message).not.toMatch(ofLibrary)
      }
    }
  })

  it('is our own for every member of a source', () => {
    const wrong = { type: 'BI_PLATFORM', required: { auth_mode: 'PASSWORD' }, masked: 5, optional: { connection: 'x' } }
    const issues = listConfigProblems(installedPlugins, {
      ...wrong,
      sampling: 'all',
      schedule: { cron: 5 },
      detectors: 'PII',
    })
    expect(issues.length).toBeGreaterThan(4)
    for (const { message } of issues) expect(message).not.toMatch(ofLibrary)
    expect(issues).toContainEqual({
      path: 'config.required.auth_mode',
      message: 'must be one of SERVICE_PRINCIPAL, ACCESS_TOKEN.',
    })
  })
})

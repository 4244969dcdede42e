import { expect, it } from 'vitest'
import { z } from 'zod'
import { AppError } from '../../src/kernel/errors.ts'
import { MASK } from '../../src/kernel/redaction.ts'
import { parseInput } from '../../src/operation/operation.ts'
import { credentials } from '../support/planted.ts'

const schema = z.strictObject({ filters: z.strictObject({ sources: z.array(z.string()).optional() }).optional() })

const toProblem = (raw: unknown): string => {
  try {
    parseInput(schema, raw)
  } catch (error) {
    if (error instanceof AppError) return `${error.message} ${JSON.stringify(error.facts)}`
    throw error
  }
  throw new Error('the input was taken')
}

it('truncates the name of an unknown member', () => {
  const problem = toProblem({ ['x'.repeat(5_000)]: 1 })
  expect(problem.length).toBeLessThan(1_000)
  expect(problem).toContain('x'.repeat(60))
})

it('masks credentials in the name of an unknown member at any depth', () => {
  for (const raw of [{ [`${credentials.aws}`]: 1 }, { filters: { [`${credentials.github}`]: [] } }]) {
    const problem = toProblem(raw)
    expect(problem).toContain(MASK)
    expect(problem).not.toContain(credentials.aws)
    expect(problem).not.toContain(credentials.github)
  }
})

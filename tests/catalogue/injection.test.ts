import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { call } from '../../src/operation/operation.ts'
import { makeTemplate, type OpenEstate, openEstate, type Template } from './estate.ts'
import { examples } from './examples.ts'

const payloads = [
  `'; DROP TABLE finding; --`,
  `" OR "1"="1`,
  `x' UNION SELECT value, 1 FROM install --`,
  '`severity`) FROM finding; DELETE FROM asset; --',
  `severity" = "severity' OR 1=1 /*`,
  'a\\\'; ATTACH DATABASE "/tmp/x" AS x; --',
  '"*" NEAR/2 (a OR NOT b) ^ col: -x',
]

/** The payloads take turns, so that each is in many texts. */
let turn = 0

let template: Template
let estate: OpenEstate
beforeAll(async () => {
  template = await makeTemplate()
  estate = openEstate(template)
})
afterAll(() => {
  estate.close()
  template.remove()
})

/** The input with a payload in place of each of its texts, one at a time; names of its keys too. */
function* poison(value: unknown): Generator<unknown> {
  if (typeof value === 'string') yield payloads[turn++ % payloads.length]
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      for (const bad of poison(item)) yield value.map((other, index) => (index === at ? bad : other))
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      for (const bad of poison(member)) yield { ...value, [key]: bad }
      yield { ...value, [payloads[0] ?? '']: member }
    }
  }
}

const tables = () =>
  estate.context.read((reader) => reader.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all())
const counts = () =>
  estate.context.read((reader) =>
    ['finding', 'asset', 'install', 'audit'].map((table) => reader.prepare(`SELECT count(*) AS n FROM ${table}`).get()),
  )
const tried = { number: 0 }

describe('SQL in a text', () => {
  it.each(operations.filter(({ openWorld }) => !openWorld).map((operation) => ({ name: operation.name, operation })))(
    'is treated as text by $name',
    async ({ operation }) => {
      const shape = JSON.stringify(tables())
      for (const input of (examples[operation.name]?.(template.ids) ?? []).slice(0, 1)) {
        for (const bad of poison(input)) {
          tried.number += 1
          const before = JSON.stringify(counts())
          const version = estate.version()
          const outcome = await call(operation, bad, estate.context).catch((error: unknown) => error)
          if (outcome instanceof Error) {
            expect(outcome, JSON.stringify(bad)).toBeInstanceOf(AppError)
            expect((outcome as AppError).code).not.toBe('internal')
            expect(outcome.message).not.toMatch(/sqlite|syntax error|no such (?:column|table)/i)
          } else expect(JSON.stringify(outcome)).not.toContain('key_check')
          if (operation.effect === 'read') expect(JSON.stringify(counts())).toBe(before)
          if (estate.version() !== version) {
            expect(JSON.stringify(tables())).toBe(shape)
            estate.close()
            estate = openEstate(template)
          }
        }
      }
    },
    60_000,
  )

  it('was tried more than 400 times', () => {
    expect(tried.number).toBeGreaterThan(400)
  })
})

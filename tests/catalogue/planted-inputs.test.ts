import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { operations } from '../../src/catalogue.ts'
import { toLoggedText } from '../../src/detectors/safe-text.ts'
import type { Operation } from '../../src/operation/operation.ts'
import { createLog } from '../../src/runtime/log.ts'
import { cases, maxMs } from '../support/long.ts'
import { MarkedPlantings } from '../support/marked-plantings.ts'
import { exchange, makeTemplate, openDoors, toRequest } from './estate.ts'
import { examples } from './examples.ts'

type Json = Record<string, unknown>
type Path = readonly string[]

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** A member of a list, and one of a record whose names are free. */
const ITEM = '0'
const FREE = 'free'
const MAX_DEPTH = 8
/** What is kept secret is remembered, and hidden from then on wherever it stands. */
const isSecret = (path: Path) => path.includes('masked')

/** Where a schema takes a text that is not one of a closed list. */
function listTextPaths(schema: Json, definitions: Json, path: Path = []): Path[] {
  if (path.length > MAX_DEPTH) return []
  const { $ref, type, enum: words, const: only, items, properties, additionalProperties: rest } = schema
  if (typeof $ref === 'string') {
    const found = definitions[$ref.split('/').at(-1) ?? '']
    return isObject(found) ? listTextPaths(found, definitions, path) : []
  }
  const below = (part: unknown, ...steps: string[]) =>
    isObject(part) ? listTextPaths(part, definitions, [...path, ...steps]) : []
  const choices = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((each) => (Array.isArray(each) ? each : []))
  return [
    ...(type === 'string' && words === undefined && only === undefined ? [path] : []),
    ...choices.flatMap((choice) => below(choice)),
    ...below(items, ITEM),
    ...Object.entries(isObject(properties) ? properties : {}).flatMap(([name, member]) => below(member, name)),
    ...below(rest, FREE),
  ]
}

function pathsOfTexts(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') return [path]
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) => pathsOfTexts(member, [...path, name]))
}

/** The same value with another text at a path, which is made where it is not. */
function withText(value: unknown, [step, ...rest]: Path, text: string): unknown {
  if (step === undefined) return text
  if (Array.isArray(value) || (value === undefined && step === ITEM)) {
    const items = Array.isArray(value) ? value : []
    return Object.assign([...items], { [step]: withText(items[Number(step)], rest, text) })
  }
  const given = isObject(value) ? value : {}
  return { ...given, [step]: withText(given[step], rest, text) }
}

/** Inputs with one text planted in each: at each path that the schema or an example has, and as a name of a member. */
function* plantInputs({ input, name }: Operation, valid: readonly Json[], take: (field: string) => string) {
  const { $defs = {}, ...schema } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Json
  const [first = {}] = valid
  const paths = [
    ...listTextPaths(schema, $defs as Json).map((path) => ({ base: first, path })),
    ...valid.flatMap((base) => pathsOfTexts(base).map((path) => ({ base, path }))),
  ]
  for (const { base, path } of paths) {
    if (!isSecret(path)) yield withText(base, path, take(`${name} ${path.join('.')}`)) as Json
  }
  const member = take(`${name}, a member`)
  yield { ...first, [member]: member }
}

const ROUNDS = cases(1, 150)
/** Of the inputs after the first, one in so many is asked, chosen by a hash of its place. */
const ONE_IN = cases(8, 1)

it(
  'a credential in an input is neither returned, logged nor stored',
  async () => {
    const template = await makeTemplate()
    const clean = readFileSync(template.file)
    const lines: string[] = []
    const log = createLog({ level: 'debug', write: (line) => lines.push(line), now: () => 0, hide: toLoggedText })
    const doors = openDoors(template, log)
    const plantings = new MarkedPlantings()
    const leaks: string[] = []
    const note = (where: string, text: string) => {
      for (const found of plantings.find(text)) leaks.push(`${where}: ${found}`)
    }
    const take = (field: string) => plantings.take(field, { credentialsOnly: true })
    let asked = 0
    try {
      for (const operation of operations) {
        const { name, route, toolset } = operation
        const valid = (examples[name]?.(template.ids) ?? []) as Json[]
        for (let round = 0; round < ROUNDS; round++) {
          for (const [at, input] of [...plantInputs(operation, valid, take)].entries()) {
            if (at > 0 && hash('sha256', `${name} ${round} ${at}`, 'buffer').readUInt16BE(0) % ONE_IN > 0) continue
            asked++
            if (route !== undefined) {
              const { path, init } = toRequest(operation, structuredClone(input))
              const reply = await doors.http.request(`http://127.0.0.1:7411${path}`, init)
              note(`REST ${name}`, `${JSON.stringify([...reply.headers])} ${await reply.text()}`)
            }
            if (toolset !== undefined)
              note(`MCP ${name}`, JSON.stringify(await doors.mcp.callTool(name, structuredClone(input), exchange)))
          }
        }
        if (operation.effect === 'read') continue
        const { file } = doors.estate()
        for (const end of ['', '-wal']) {
          const bytes = readFileSync(file + end)
          if (!bytes.equals(clean)) note(`the database after ${name}`, bytes.toString())
        }
        doors.renew()
      }
      note('the log', lines.join(''))
      expect(lines.length).toBeGreaterThan(0)
      expect(asked).toBeGreaterThan(125)
      expect(leaks).toEqual([])
    } finally {
      doors.close()
      template.remove()
    }
  },
  maxMs(120_000),
)

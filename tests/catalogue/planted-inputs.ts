import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { z } from 'zod'
import { operations } from '../../src/catalogue.ts'
import { toLoggedText } from '../../src/detectors/safe-text.ts'
import type { Operation } from '../../src/operation/operation.ts'
import { createLog } from '../../src/runtime/log.ts'
import { findPlanted, type Planting, plantedCredentials } from '../support/plantings.ts'
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
function* plantInputs({ input, name }: Operation, valid: readonly Json[], take: () => Iterable<Planting>) {
  const { $defs = {}, ...schema } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Json
  const [first = {}] = valid
  const cases = [
    ...listTextPaths(schema, $defs as Json).map((path) => ({ base: first, path })),
    ...valid.flatMap((base) => pathsOfTexts(base).map((path) => ({ base, path }))),
  ]
  for (const { base, path } of cases) {
    if (isSecret(path)) continue
    for (const planting of take()) {
      const where = `${name} ${path.join('.')}: ${planting.name}`
      yield { where, input: withText(base, path, planting.text) as Json }
    }
  }
  for (const { name: kind, text } of take()) {
    yield { where: `${name}, a member: ${kind}`, input: { ...first, [text]: text } }
  }
}

/** Plants credentials in every text that an operation takes: nothing of them is answered, logged or stored. */
export async function findLeakedInputs(perPath: number) {
  const template = await makeTemplate()
  const clean = readFileSync(template.file)
  const lines: string[] = []
  const log = createLog({ level: 'debug', write: (line) => lines.push(line), now: () => 0, hide: toLoggedText })
  const doors = openDoors(template, log)
  const leaks: string[] = []
  let asked = 0
  let next = 0
  const note = (where: string, text: string) => {
    const found = findPlanted(text)
    if (found.length > 0) leaks.push(`${where}: ${found.join(', ')}`)
  }
  const take = () =>
    Array.from(
      { length: Math.min(perPath, plantedCredentials.length) },
      () => plantedCredentials[next++ % plantedCredentials.length] as Planting,
    )
  try {
    for (const operation of operations) {
      const valid = (examples[operation.name]?.(template.ids) ?? []) as Json[]
      const isTool = operation.toolset !== undefined
      const first = operations.indexOf(operation)
      for (const [turn, { where, input }] of [...plantInputs(operation, valid, take)].entries()) {
        // Where there is one planting for each path, an eighth of the inputs is asked, pairs in turn, so that each door gets some.
        if (perPath === 1 && turn > 0 && (turn + first) % 16 > 1) continue
        asked++
        // Where there is one planting for each path, the first input goes through both doors and the others in turn.
        const takesBoth = perPath > 1 || !isTool || turn === 0
        if (operation.route !== undefined && (takesBoth || turn % 2 === 0)) {
          const { path, init } = toRequest(operation, structuredClone(input))
          const reply = await doors.http.request(`http://127.0.0.1:7411${path}`, init)
          note(`REST ${where}`, `${JSON.stringify([...reply.headers])} ${await reply.text()}`)
        }
        if (isTool && (takesBoth || operation.route === undefined || turn % 2 === 1)) {
          const answer = await doors.mcp.callTool(operation.name, structuredClone(input), exchange)
          note(`MCP ${where}`, JSON.stringify(answer))
        }
      }
      if (operation.effect === 'read') continue
      const { file } = doors.estate()
      for (const end of ['', '-wal']) {
        const bytes = readFileSync(file + end)
        if (!bytes.equals(clean)) note(`the database after ${operation.name}`, bytes.toString())
      }
      doors.renew()
    }
    note('the log', lines.join(''))
    expect(lines.length).toBeGreaterThan(0)
    return { asked, leaks }
  } finally {
    doors.close()
    template.remove()
  }
}

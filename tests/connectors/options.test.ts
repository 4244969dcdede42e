import { expect, it } from 'vitest'
import { z } from 'zod'
import { biConnector } from '../../src/connectors/bi/index.ts'
import { wikiConnector } from '../../src/connectors/wiki/index.ts'
import { CommonConfig } from '../../src/sources/config.ts'
import { readTitles } from '../support/titles.ts'
import { biOptions, commonOptions, wikiOptions } from './options.ts'

interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
  oneOf?: Schema[]
  anyOf?: Schema[]
}

/** Paths of all members that hold no other members. */
function leavesOf(schema: Schema, path = ''): string[] {
  const variants = [schema, ...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])]
  const members = variants.flatMap(({ properties }) => Object.entries(properties ?? {}))
  if (members.length === 0) return [path]
  return [...new Set(members.flatMap(([name, member]) => leavesOf(member, path === '' ? name : `${path}.${name}`)))]
}

it.each([
  ['a wiki', wikiConnector.payload, wikiOptions],
  ['a BI platform', biConnector.payload, biOptions],
  ['every source', CommonConfig, commonOptions],
] as const)('every option of %s has a test of its effect', (_name, schema, options) => {
  const leaves = leavesOf(z.toJSONSchema(schema, { io: 'input' }) as Schema).filter((path) => path !== 'type')
  expect(Object.keys(options).sort()).toEqual(leaves.sort())
  const missing = Object.entries(options).flatMap(([path, proofs]) =>
    proofs.flatMap(({ file, tests }) => {
      const titles = readTitles(file)
      return tests.filter((title) => !titles.has(title)).map((title) => `${path}: ${file} has no ${title}`)
    }),
  )
  expect(missing).toEqual([])
})

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const source = new URL('../../src/', import.meta.url).pathname
const declaration = /^export (?:abstract )?(?:interface|type|class|enum) (\w+)/gm

it('gives each exported type a unique name', () => {
  const filesByName = new Map<string, string[]>()
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue
    for (const [, name = ''] of readFileSync(join(source, file), 'utf8').matchAll(declaration)) {
      filesByName.set(name, [...(filesByName.get(name) ?? []), file])
    }
  }
  expect(filesByName.size).toBeGreaterThan(100)
  expect([...filesByName].filter(([, files]) => files.length > 1)).toEqual([])
})

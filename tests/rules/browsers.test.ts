import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const src = fileURLToPath(new URL('../../src/', import.meta.url))

/** Of the standard library since ES2024, which the compiler allows everywhere and the oldest supported browsers lack. */
const newer =
  /\.(?:groupBy|withResolvers|fromAsync|isWellFormed|toWellFormed|union|intersection|difference|symmetricDifference|isSubsetOf|isSupersetOf|isDisjointFrom|toArray)\(|\.(?:(?:values|keys|entries)\(\)|matchAll\([^()]*\))\.(?:map|filter|find|some|every|reduce|take|drop|flatMap|forEach)\(|URL\.parse\(/

it('code for browsers uses only what the oldest of them have', () => {
  const files = ['charts', 'console', 'view'].flatMap((room) =>
    readdirSync(join(src, room), { recursive: true, encoding: 'utf8' }).map((file) => join(src, room, file)),
  )
  const scripts = files.filter((file) => /\.tsx?$/.test(file))
  expect(scripts.length).toBeGreaterThan(40)
  const uses = scripts.flatMap((file) => newer.exec(readFileSync(file, 'utf8'))?.[0] ?? [])
  expect(uses).toEqual([])
})

it.each(['Map.groupBy(rows, keyOf)', 'shown.difference(hidden)', 'marks.values().map(toText)'])(
  '%s is found',
  (text) => {
    expect(newer.test(text)).toBe(true)
  },
)

import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const page = readFileSync(`${root}docs/architecture.md`, 'utf8')
const listed = page.slice(page.indexOf('\n## Rooms'), page.indexOf('\n## One list'))
const ordered = [...listed.matchAll(/^\| (\d+) \| `([a-z-]+)` \|/gm)].map(([, number, room]) => ({ number, room }))
const others = [...listed.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, room]) => room)

it('names every folder of src once', () => {
  const folders = readdirSync(`${root}src`, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect([...ordered.map(({ room }) => room), ...others].sort()).toEqual(folders.map(({ name }) => name).sort())
})

it('has the order that imports are checked by', () => {
  const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
    forbidden: { name: string }[]
  }
  const checked = forbidden.flatMap(({ name }) => /^(.+)-looks-back-only$/.exec(name)?.[1] ?? [])
  expect(checked.length).toBeGreaterThan(10)
  expect(ordered).toEqual(checked.map((room, index) => ({ number: String(index + 1), room })))
})

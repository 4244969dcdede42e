import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { readTitles } from '../support/titles.ts'

const toFile = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const [, ...sections] = readFileSync(toFile('matrix/requirements.md'), 'utf8').split('\n## ')
const requirements = sections.map((section) => {
  const [heading = '', ...lines] = section.split('\n')
  const items = lines.filter((line) => line !== '').map((line) => /^- ([\w/-]+)(?:: (.+))?$/.exec(line) ?? [])
  return { heading, shown: items.map(([, file = '', title]) => ({ file, title })) }
})

it('names each requirement once', () => {
  const ids = requirements.map(({ heading }) => /^([RTS]\d+): /.exec(heading)?.[1])
  expect(ids.length).toBeGreaterThan(50)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).not.toContain(undefined)
})

it.each(requirements)('has existing tests and benchmarks for $heading', ({ shown }) => {
  const [tests, benches] = [shown.filter(({ title }) => title), shown.filter(({ title }) => !title)]
  expect(tests).not.toEqual([])
  for (const { file, title = '' } of tests) expect([...readTitles(toFile(`${file}.test.ts`))], file).toContain(title)
  for (const { file } of benches) expect(existsSync(toFile(`${file}.ts`)), file).toBe(true)
})

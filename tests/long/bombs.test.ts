import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bombsOf, MEGABYTE } from '../documents/bombs.ts'
import { startEntry } from '../support/entry.ts'

const bombs = bombsOf(60)

const MAX_GROWN = 64 * MEGABYTE
const MAX_MS = 2_000
const entry = new URL('../documents/bomb-entry.ts', import.meta.url)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-bombs-'))
  writeFileSync(join(folder, 'small.xml'), '<a>hello</a>')
  const body = '<w:document><w:body><w:p><w:r><w:t>hello</w:t></w:r></w:p></w:body></w:document>'
  writeFileSync(join(folder, 'small.docx'), zipSync({ 'word/document.xml': strToU8(body) }))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('bombs take at most 64 MB and two seconds of CPU time, each in a separate process', async () => {
  const file = join(folder, 'bomb')
  const costs: { name: string; ms: number; grownBytes: number }[] = []
  for (const [name, toBytes] of Object.entries(bombs)) {
    writeFileSync(file, toBytes())
    const kind = name.startsWith('XML') ? 'xml' : 'docx'
    const { ended, output } = await startEntry(entry, [file, join(folder, `small.${kind}`), `a.${kind}`])
    expect(await ended).toBe(0)
    costs.push({ name, ...(JSON.parse(output()) as { ms: number; grownBytes: number }) })
  }
  const most = (of: 'ms' | 'grownBytes') => costs.reduce((worst, cost) => (cost[of] > worst[of] ? cost : worst))
  const [slowest, largest] = [most('ms'), most('grownBytes')]
  process.stdout.write(
    `${costs.length} bombs: at most ${slowest.ms.toFixed(0)} ms (${slowest.name}), ` +
      `${(largest.grownBytes / MEGABYTE).toFixed(0)} MB (${largest.name})\n`,
  )
  expect(costs.filter(({ ms, grownBytes }) => ms > MAX_MS || grownBytes > MAX_GROWN)).toEqual([])
})

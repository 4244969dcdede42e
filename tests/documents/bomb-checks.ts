import { expect } from 'vitest'
import { parseStorage } from '../../src/documents/markup/confluence-storage.ts'
import { readDocument } from '../../src/documents/reader.ts'
import { type HugeInput, MEGABYTE } from './bombs.ts'

/** What a process that has read many files before may hold more; a new one is measured in the long form. */
const MAX_GROWTH = 200 * MEGABYTE
const MAX_MS = 5_000
const MAX_BOMB_MS = 2_000

function spentMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1_000
}

/** A file that unpacks to too much costs little time and memory, and is read in part or refused with a reason. */
export async function expectDefused(name: string, bytes: Uint8Array): Promise<void> {
  const resident = process.memoryUsage().rss
  const before = process.cpuUsage()
  const result = await readDocument(bytes, { filename: name.startsWith('XML') ? 'a.xml' : 'a.docx' })
  expect(spentMs(before)).toBeLessThan(MAX_BOMB_MS)
  expect(process.memoryUsage().rss - resident).toBeLessThan(MAX_GROWTH)
  if ('document' in result) {
    const length = result.document.parts.reduce((sum, { text }) => sum + text.length, 0)
    expect(length).toBeLessThan(20 * MEGABYTE)
    expect(result.document.parts.some(({ text }) => /haha|root:/.test(text))).toBe(false)
  } else expect(result.reason).not.toBe('')
}

/** A text that is too much is read in time, up to the bounds, and says so. */
export async function expectBounded({ source, mime, partial, links = 0 }: HugeInput): Promise<void> {
  const text = source()
  const before = process.cpuUsage()
  const read =
    mime === 'storage'
      ? { document: parseStorage(text) }
      : await readDocument(text, { ...(mime === undefined ? {} : { mime }) })
  expect(spentMs(before)).toBeLessThan(MAX_MS)
  if (!('document' in read)) throw new Error(read.reason)
  const length = read.document.parts.reduce((sum, part) => sum + part.text.length, 0)
  expect(length).toBeLessThanOrEqual(17 * MEGABYTE)
  expect(read.document.links).toHaveLength(links)
  expect(read.document.truncated).toBe(partial)
}

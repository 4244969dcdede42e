import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { readArchive } from '../../src/documents/office/archive.ts'

const MB = 1024 * 1024
const reasonOf = (files: Record<string, Uint8Array>, level: 0 | 1 = 1) => {
  const read = readArchive(zipSync(files, { level }), () => true)
  return read instanceof Map ? 'read' : read.reason
}
const many = (count: number, content: Uint8Array) =>
  Object.fromEntries(Array.from({ length: count }, (_, number) => [`${number}.txt`, content]))

describe('an archive', () => {
  it('with more than 2,000 files is not read', () => {
    expect(reasonOf(many(20, new Uint8Array(1)))).toBe('read')
    expect(reasonOf(many(2001, new Uint8Array(1)))).toContain('more than 2000 files')
  })

  it('with more than 50 MB unpacked is not read, at any compression ratio', () => {
    const content = new Uint8Array(7 * MB)
    expect(reasonOf(many(7, content), 0)).toBe('read')
    expect(reasonOf(many(8, content), 0)).toContain('too large when unpacked')
  })

  it('with an implausible compression ratio is not read', () => {
    expect(reasonOf({ 'a.txt': new Uint8Array(3 * MB) })).toContain('compression ratio')
  })
})

import { describe, expect, test } from 'vitest'
import type { AssetFacts } from '../../../src/detectors/detector.ts'
import { decodeDigest, encodeDigest } from '../../../src/detectors/duplicate/digest.ts'
import { duplicateDetector } from '../../../src/detectors/duplicate/index.ts'
import { createFingerprinter } from '../../../src/detectors/fingerprint.ts'
import { parseStorage } from '../../../src/documents/markup/confluence-storage.ts'
import { cpuMs } from '../../support/cpu.ts'
import { createRandom, makeWords } from './texts.ts'

const asset: AssetFacts = { key: 'a', kind: 'wiki.page', name: 'Page', url: '' }
const digestOf = (source: string, over: Partial<AssetFacts> = {}, key = 1) => {
  const fingerprint = createFingerprinter(new Uint8Array(32).fill(key))
  const data = duplicateDetector.digest?.(parseStorage(source), { asset: { ...asset, ...over }, fingerprint })
  return data === undefined ? undefined : decodeDigest(data)
}
const text = makeWords(createRandom(3), 120).join(' ')

describe('the stored digest of a text', () => {
  test('is the same after writing and reading it', () => {
    const digest = digestOf(`<p>${text}</p>`)
    expect(digest).toMatchObject({ words: 120 })
    expect(digest && decodeDigest(encodeDigest(digest))).toEqual(digest)
    expect(digest?.shingles).toHaveLength(116)
    expect(decodeDigest(new Uint8Array([9, 1, 2, 3]))).toBeUndefined()
  })

  test('does not depend on markup, case, white space or Unicode normalization', () => {
    const plain = digestOf(`<p>${text} Caf\u00e9</p>`)
    const dressed = digestOf(`<h1>${text.toUpperCase()}</h1>\n<p><b>cafe\u0301</b></p><!-- note -->`)
    expect(dressed).toEqual(plain)
  })

  test('reveals nothing without the key', () => {
    const [one, other] = [digestOf(`<p>${text}</p>`), digestOf(`<p>${text}</p>`, {}, 2)]
    expect(other?.whole).not.toBe(one?.whole)
    expect(other?.shingles.filter((shingle) => one?.shingles.includes(shingle))).toHaveLength(0)
  })

  test('does not exist for short texts, forms and kinds that are not compared', () => {
    expect(digestOf('<p>Too short to say anything.</p>')).toBeUndefined()
    expect(digestOf(`<p>${text}</p>`, { labels: ['template'] })).toBeUndefined()
    expect(digestOf(`<p>${text}</p>`, { kind: 'wiki.comments' })).toBeUndefined()
  })

  test('counts every character of a script without blanks', () => {
    const digest = digestOf(`<p>${'倉庫の在庫は毎週月曜日に数えて記録します。'.repeat(3)}</p>`)
    expect(digest?.words).toBe(60)
    expect(digest?.shingles.length).toBeGreaterThan(15)
  })

  test('is computed within seconds for two million characters', () => {
    const large = parseStorage(`<p>${makeWords(createRandom(5), 240_000).join(' ')}</p>`)
    const started = cpuMs()
    duplicateDetector.digest?.(large, { asset, fingerprint: createFingerprinter(new Uint8Array(32)) })
    expect(cpuMs() - started).toBeLessThan(2_000)
  })
})

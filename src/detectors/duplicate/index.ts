import type { AssayDocument } from '../../documents/document.ts'
import type { DigestContext, SourceDetector } from '../detector.ts'
import { DuplicateConfig, duplicateTypes } from './config.ts'
import { encodeDigest } from './digest.ts'
import { toShingles, toWords } from './shingles.ts'
import { toBands } from './signature.ts'

const TYPE = 'DUPLICATE'
/** The minimum of the `minimumWords` setting. */
const MIN_WORDS = 20

const compared = new Set(['wiki.page', 'wiki.blogpost', 'wiki.attachment', 'bi.dataset', 'bi.report'])

/** Compares texts by shingles; digests are computed when a text is read and compared at every scan. */
export const duplicateDetector: SourceDetector<DuplicateConfig> = {
  type: TYPE,
  title: 'Duplicates',
  description:
    'Finds pages, files, datasets and reports whose text is the same as that of an older one, nearly the same, or part of it, within one source; datasets and reports within one workspace. Translations, paraphrases and texts of fewer than 50 words are not found.',
  category: 'QUALITY',
  version: 1,
  reads: 'digests',
  config: DuplicateConfig,
  findingTypes: duplicateTypes,
  digest: toDigest,
}

function toDigest(document: AssayDocument, { asset, fingerprint }: DigestContext): Uint8Array | undefined {
  if (!compared.has(asset.kind) || asset.isArchived === true || asset.labels?.includes('template') === true)
    return undefined
  const words = toWords(document, asset)
  if (words.length < MIN_WORDS) return undefined
  const seed = Number.parseInt(fingerprint(`${TYPE}|seed`).slice(-8), 16) >>> 0
  const shingles = toShingles(words, seed)
  const whole = fingerprint(`${TYPE}|${words.join(' ')}`)
  return encodeDigest({ words: words.length, whole, bands: toBands(shingles), shingles })
}

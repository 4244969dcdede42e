import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { MAX_PART_LENGTH } from '../../src/detectors/chunks.ts'
import type { AssetFacts, Detector, Match } from '../../src/detectors/detector.ts'
import { MAX_FINDINGS } from '../../src/detectors/resolution.ts'
import { type RunOptions, runDetectors } from '../../src/detectors/runner.ts'
import type { AssayDocument, Part } from '../../src/documents/document.ts'

const asset: AssetFacts = { key: 'wiki:t:page:1', kind: 'wiki.page', name: 'Page', url: 'https://wiki.test/1' }
const textPart = (text: string, facts: Partial<Part> = {}): Part => ({ kind: 'text', path: 'body', text, ...facts })
const documentOf = (...parts: Part[]): AssayDocument => ({ mime: 'text/plain', parts, links: [] })

/** A detector that reports every match of a pattern. */
function detectorOf(pattern: RegExp, facts: Partial<Match> & { type?: string; yieldsTo?: string[] } = {}): Detector {
  const { type = 'TEST', yieldsTo, ...match } = facts
  return {
    type,
    title: type,
    description: '',
    category: 'TESTS',
    version: 1,
    reads: 'documents',
    config: z.unknown(),
    findingTypes: ['WORD'],
    ...(yieldsTo === undefined ? {} : { yieldsTo }),
    *detect({ parts }) {
      for (const [part, { text }] of parts.entries()) {
        for (const { 0: found, index } of text.matchAll(pattern)) {
          yield {
            findingType: 'WORD',
            severity: 'LOW',
            confidence: 0.9,
            part,
            start: index,
            end: index + found.length,
            ...match,
          }
        }
      }
    },
  }
}

function run(document: AssayDocument, detectors: Detector[], options: Partial<RunOptions> = {}) {
  return runDetectors(document, {
    asset,
    detectors: detectors.map((detector) => ({ detector, config: {} })),
    now: 0,
    fingerprint: (canonical) => canonical,
    ...options,
  })
}

describe('reported findings', () => {
  it('locates a finding by line, column and offsets', () => {
    const document: AssayDocument = { ...documentOf(textPart('one\ntwo secret')), lineStarts: [0, 4] }
    const { findings } = run(document, [detectorOf(/secret/g)])
    expect(findings.map(({ location }) => location)).toEqual([{ path: 'body', line: 2, column: 5, start: 8, end: 14 }])
  })

  it('maps offsets back to the source', () => {
    const part = textPart('ab secret', { map: [0, 10, 3, 20] })
    expect(run(documentOf(part), [detectorOf(/secret/g)]).findings[0]?.location).toMatchObject({ start: 20, end: 26 })
  })

  it('computes the fingerprint from detector, type, asset and value', () => {
    const { findings } = run(documentOf(textPart('a Secret')), [detectorOf(/secret/gi, { identity: 'secret' })])
    expect(findings[0]?.fingerprint).toBe('TEST|WORD|wiki:t:page:1|secret')
  })

  it('reports one finding per value, or one per location if all occurrences are requested', () => {
    const document = documentOf(textPart('secret and secret'))
    expect(run(document, [detectorOf(/secret/g)]).findings).toHaveLength(1)
    expect(run(document, [detectorOf(/secret/g)], { occurrences: 'all' }).findings).toHaveLength(2)
  })

  it('keeps the occurrence of a value with the highest confidence', () => {
    const unsure = detectorOf(/^secret/g, { confidence: 0.6 })
    const sure = detectorOf(/secret$/g, { confidence: 0.9 })
    const both: Detector = {
      ...unsure,
      *detect(document, context) {
        yield* unsure.detect(document, context)
        yield* sure.detect(document, context)
      },
    }
    expect(run(documentOf(textPart('secret, secret')), [both]).findings).toEqual([
      expect.objectContaining({ confidence: 0.9, location: expect.objectContaining({ start: 8 }) }),
    ])
  })

  it('drops matches with a confidence below 0.5', () => {
    expect(run(documentOf(textPart('secret')), [detectorOf(/secret/g, { confidence: 0.49 })]).findings).toEqual([])
  })

  it('raises the confidence in hidden text and lowers it in templates', () => {
    const severityOf = (part: Part, labels: string[]) =>
      run(documentOf(part), [detectorOf(/secret/g)], { asset: { ...asset, labels } }).findings[0]?.severity
    expect(severityOf(textPart('secret'), [])).toBe('LOW')
    expect(severityOf(textPart('secret', { kind: 'hidden' }), [])).toBe('MEDIUM')
    expect(severityOf(textPart('secret'), ['template'])).toBe('INFO')
  })

  it('honours suppression comments on a line, for all or for the named detectors', () => {
    const found = (text: string, options: Partial<RunOptions> = {}) =>
      run(documentOf(textPart(text)), [detectorOf(/secret/g)], options).findings.length
    expect(found('secret # assay:ignore\n')).toBe(0)
    expect(found('secret # assay:ignore[TEST]\n')).toBe(0)
    expect(found('secret # assay:ignore[PII]\n')).toBe(1)
    expect(found('# assay:ignore\nsecret\n')).toBe(1)
    expect(found('secret # assay:ignore\n', { inlineSuppression: false })).toBe(1)
  })
})

describe('overlapping matches', () => {
  const document = documentOf(textPart('call 4711-0815 now'))
  it('keeps the match with the highest confidence of one detector', () => {
    const wide = detectorOf(/4711-0815/g, { confidence: 0.7 })
    const narrow = detectorOf(/4711/g, { confidence: 0.9 })
    const both: Detector = {
      ...wide,
      *detect(input, context) {
        yield* wide.detect(input, context)
        yield* narrow.detect(input, context)
      },
    }
    expect(run(document, [both]).findings.map(({ location }) => location.end)).toEqual([9])
  })

  it('are never matches in different texts with the same path', () => {
    const document = documentOf(textPart('role 4711', { path: 'role' }), textPart('id = 4712', { path: 'role' }))
    const weak = detectorOf(/47\d\d/g, { type: 'WEAK', yieldsTo: ['TEST'] })
    const found = run(document, [detectorOf(/471\d/g)]).findings
    expect(found.map(({ fingerprint }) => fingerprint.split('|').at(-1))).toEqual(['4711', '4712'])
    expect(run(document, [weak, detectorOf(/4711/g)]).findings.map(({ detectorType }) => detectorType)).toEqual([
      'TEST',
      'WEAK',
    ])
  })

  it('keeps matches of several detectors at the same location', () => {
    expect(run(document, [detectorOf(/4711/g), detectorOf(/4711/g, { type: 'OTHER' })]).findings).toHaveLength(2)
  })

  it('drops the match of a detector that yields to another', () => {
    const yielding = detectorOf(/4711/g, { type: 'WEAK', yieldsTo: ['TEST'] })
    const types = (winner: Detector) =>
      run(document, [yielding, winner]).findings.map(({ detectorType }) => detectorType)
    expect(types(detectorOf(/4711-0815/g))).toEqual(['TEST'])
    expect(types(detectorOf(/now/g))).toEqual(['WEAK', 'TEST'])
    expect(types(detectorOf(/4711-0815/g, { confidence: 0.3 }))).toEqual(['WEAK'])
  })
})

describe('limits of the runner', () => {
  it('reports a match that spans two chunks once', () => {
    const text = `${'a'.repeat(256 * 1024 - 3)}secret${'a'.repeat(300_000)}`
    const { findings, warnings } = run(documentOf(textPart(text)), [detectorOf(/secret/g)], { occurrences: 'all' })
    expect(findings.map(({ location }) => location.start)).toEqual([256 * 1024 - 3])
    expect(warnings).toEqual([])
  })

  it('reads only the beginning of a document that is too long, with a warning', () => {
    const text = `${'a'.repeat(MAX_PART_LENGTH)}secret`
    const { findings, warnings } = run(documentOf(textPart(text)), [detectorOf(/secret/g)])
    expect(findings).toEqual([])
    expect(warnings.map(({ code }) => code)).toEqual(['truncated'])
  })

  it('keeps the most severe findings up to the limit per detector and asset', () => {
    const text = Array.from({ length: MAX_FINDINGS + 50 }, (_, index) => `low${index} `).join('')
    const both: Detector = {
      ...detectorOf(/low\d+/g),
      *detect(input, context) {
        yield* detectorOf(/low\d+/g).detect(input, context)
        yield* detectorOf(/grave/g, { severity: 'CRITICAL' }).detect(input, context)
      },
    }
    const { findings, warnings } = run(documentOf(textPart(`${text}grave`)), [both])
    expect(findings).toHaveLength(MAX_FINDINGS)
    expect(findings.at(-1)?.severity).toBe('CRITICAL')
    expect(warnings).toEqual([{ code: 'capped', message: expect.stringContaining('51') }])
  })

  it('continues without a detector that throws, with a warning', () => {
    const broken: Detector = {
      ...detectorOf(/x/g, { type: 'BROKEN' }),
      detect: () => {
        throw new Error('secret of the page')
      },
    }
    const { findings, warnings } = run(documentOf(textPart('a secret')), [broken, detectorOf(/secret/g)])
    expect(findings).toHaveLength(1)
    expect(warnings).toEqual([{ code: 'detector_failed', message: expect.not.stringContaining('secret') }])
  })
})

import { describe, expect, it } from 'vitest'
import { detectText } from '../../src/detectors/detect-text.ts'

describe('detecting in a text', () => {
  const text = 'a 😀 ana@globex.de b ana@globex.de'

  it('returns every occurrence in text order, in UTF-16 offsets', () => {
    const { id, findings } = detectText({ id: 'doc-1', text })
    expect(id).toBe('doc-1')
    expect(findings.map(({ start, end }) => text.slice(start, end))).toEqual(['ana@globex.de', 'ana@globex.de'])
    expect(findings[0]).toEqual({
      detectorType: 'PII',
      findingType: 'EMAIL',
      severity: 'LOW',
      confidence: 0.95,
      start: 5,
      end: 18,
      excerpt: expect.stringContaining('a•••@g•••.de'),
    })
  })

  it('runs the detectors that are named', () => {
    expect(detectText({ id: 'x', text, types: ['SECRETS'] }).findings).toEqual([])
    expect(detectText({ id: 'x', text, types: [] }).findings).toEqual([])
  })

  it('reads the text by its type', () => {
    const page = '<p title="x">mail an<b>a@glo</b>bex.de</p>'
    const [finding] = detectText({ id: 'x', text: page, mime: 'text/html' }).findings
    expect(page.slice(finding?.start, finding?.end)).toBe('an<b>a@glo</b>bex.de')
  })

  it('reads the text by its path', () => {
    const [finding] = detectText({ id: 'x', text: 'name,phone\nAna,467 3395\n', path: 'people.csv' }).findings
    expect(finding).toMatchObject({ findingType: 'PHONE', start: 15, end: 23 })
  })

  it('finds a value once where markup of unknown type is read both ways', () => {
    expect(detectText({ id: 'x', text: '<p>ana@globex.de</p>' }).findings).toHaveLength(1)
  })
})

import { describe, expect, it } from 'vitest'
import { detectText } from '../../src/detectors/detect-text.ts'

describe('detection in a text', () => {
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

  it('runs only the named detectors', () => {
    expect(detectText({ id: 'x', text, types: ['SECRETS'] }).findings).toEqual([])
    expect(detectText({ id: 'x', text, types: [] }).findings).toEqual([])
  })

  it('parses the text by its media type', () => {
    const page = '<p title="x">mail an<b>a@glo</b>bex.de</p>'
    const [finding] = detectText({ id: 'x', text: page, mime: 'text/html' }).findings
    expect(page.slice(finding?.start, finding?.end)).toBe('an<b>a@glo</b>bex.de')
  })

  it('parses the text by its file extension', () => {
    const [finding] = detectText({ id: 'x', text: 'name,phone\nAna,467 3395\n', path: 'people.csv' }).findings
    expect(finding).toMatchObject({ findingType: 'PHONE', start: 15, end: 23 })
  })

  it('finds a value once when markup of unknown type is parsed in two ways', () => {
    expect(detectText({ id: 'x', text: '<p>ana@globex.de</p>' }).findings).toHaveLength(1)
  })
})

import { describe, expect, it } from 'vitest'
import { detectText } from '../../src/detectors/detect-text.ts'
import type { AssetFacts, Match } from '../../src/detectors/detector.ts'
import { PiiConfig } from '../../src/detectors/pii/description.ts'
import { piiDetector } from '../../src/detectors/pii/index.ts'
import type { Part } from '../../src/documents/document.ts'

const asset: AssetFacts = { key: 'a', kind: 'bi.table', name: 'Sales', url: '' }

function findPii(text: string) {
  return detectText({ id: 'case', text, types: ['PII'] }).findings.map(({ findingType, start, end }) => {
    return [findingType, text.slice(start, end)]
  })
}

function detectParts(parts: readonly Part[], config: unknown = {}): Match[] {
  const document = { mime: '', parts, links: [] }
  return [...piiDetector.detect(document, { asset, config: PiiConfig.parse(config), now: Date.UTC(2026, 0, 1) })]
}

describe('personal data that is found', () => {
  it.each([
    ['EMAIL', 'write to jörg.müller@globex.de soon', 'jörg.müller@globex.de'],
    ['EMAIL', '<ANA_B@MAIL.GLOBEX.COM>', 'ANA_B@MAIL.GLOBEX.COM'],
    ['EMAIL', 'mailto:ana+wiki@globex.co.uk?subject=x', 'ana+wiki@globex.co.uk'],
    ['PHONE', 'reach me at +49 170 1234567 after five', '+49 170 1234567'],
    ['PHONE', 'Phone: 030 8431 2290', '030 8431 2290'],
    ['PHONE', 'fax 259.735.7502x459', '259.735.7502x459'],
    ['CREDIT_CARD', 'card 4929 4212 3460 0821', '4929 4212 3460 0821'],
    ['IBAN', 'IBAN DE89 3704 0044 0532 0130 00 bei der Bank', 'DE89 3704 0044 0532 0130 00'],
    ['IBAN', 'iban gb29nwbk60161331926819', 'gb29nwbk60161331926819'],
    ['US_SSN', 'SSN: 536-90-4399', '536-90-4399'],
    ['IP_ADDRESS', 'blocked 91.198.174.192 again', '91.198.174.192'],
    ['IP_ADDRESS', 'from 2a02:810d:8abf:fa94:5988:5f63:375e:8a2a', '2a02:810d:8abf:fa94:5988:5f63:375e:8a2a'],
    ['IP_ADDRESS', 'host abcd::fe:1 seen', 'abcd::fe:1'],
    ['MT_ID', 'Maltese ID card: 028P', '028P'],
    ['DATE_OF_BIRTH', 'date of birth: 1/2/80', '1/2/80'],
  ])('%s is found in "%s"', (type, text, value) => {
    expect(findPii(text)).toEqual([[type, value]])
  })

  it('reports a published test card with low confidence', () => {
    const [finding] = detectText({ id: 'x', text: 'card 4111 1111 1111 1111', types: ['PII'] }).findings
    expect(finding).toMatchObject({ findingType: 'CREDIT_CARD', severity: 'LOW' })
  })

  it('uses the header of a cell as its context', () => {
    const cell: Part = { kind: 'cell', text: '467 3395', path: 'B2', label: 'Phone' }
    expect(detectParts([cell])).toEqual([expect.objectContaining({ findingType: 'PHONE' })])
    expect(detectParts([{ ...cell, label: 'Amount' }])).toEqual([])
  })

  it.each(['CustomerSSN', 'iban', 'date_of_birth', 'Card Number', 'Geburtsdatum'])(
    'uses the column name %s as evidence',
    (name) => {
      const part: Part = { kind: 'name', text: name, path: `Sales.${name}` }
      expect(detectParts([part])).toEqual([
        expect.objectContaining({ findingType: 'SENSITIVE_COLUMN', confidence: 0.6 }),
      ])
    },
  )

  it.each([
    ['PERSON_NAME', 'Full name: Ana Sousa'],
    ['POSTAL_ADDRESS', 'Home address: Hauptstraße 12, 10115 Berlin'],
    ['MAC_ADDRESS', 'MAC: 3c:22:fb:8a:91:0e'],
  ])('detects %s only when it is enabled', (type, text) => {
    const part: Part = { kind: 'text', text, path: 'body' }
    expect(detectParts([part])).toEqual([])
    expect(detectParts([part], { types: [type] })).toEqual([expect.objectContaining({ findingType: type })])
  })

  it('reports e-mail addresses of the configured company as INFO', () => {
    const part: Part = { kind: 'text', text: 'ana@globex.de and bo@initech.de', path: 'body' }
    const matches = detectParts([part], { ownDomains: ['globex.de'] })
    expect(matches.map(({ severity }) => severity)).toEqual(['INFO', 'LOW'])
  })

  it('ignores countries that are not configured', () => {
    const part: Part = { kind: 'text', text: 'BSN 111222333, CPF 529.982.247-25', path: 'body' }
    expect(detectParts([part], { countries: ['BR'] }).map(({ findingType }) => findingType)).toEqual(['BR_CPF'])
  })
})

describe('text that only looks like personal data is not reported', () => {
  it.each([
    'see icon@2x.png and npm i @types/node@20.1.0',
    'git clone git@host.corp:team/app.git',
    'write to jane@example.com',
    'listen on 127.0.0.1:8080 or 0.0.0.0',
    'order 4929421234600820',
    'uuid 4929-4212-3460-0821-aa',
    '0.4929421234600821 as a float',
    'x=4929421234600821abc',
    'IBAN DE00 0000 0000 0000 0000 00',
    'DE89 3704 0044 0532 0130 01',
    'SSN 000-12-3456, 666-12-3456 and 912-12-3456',
    'MAC 00:1B:44:11:3A:B7',
    '**** **** **** 4242',
  ])('%s', (text) => {
    expect(findPii(text)).toEqual([])
  })
})

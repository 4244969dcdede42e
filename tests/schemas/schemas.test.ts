import { readdirSync, readFileSync } from 'node:fs'
import SwaggerParser from '@apidevtools/swagger-parser'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'

const folder = new URL('../../schemas/', import.meta.url)
const load = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
const compile = (name: string) => new Ajv2020({ strict: false, validateFormats: false }).compile(load(name))
const { wiki, bi } = sampleSourceConfigs({
  wikiUrl: 'http://127.0.0.1:1',
  biUrl: 'http://127.0.0.1:2',
  authorityUrl: 'http://127.0.0.1:3',
})

const term = { slug: 'a', displayName: 'A', filterMapping: { detectorTypes: ['PII'] } }
const metric = { slug: 'a', displayName: 'A', type: 'SIMPLE', definition: { aggregation: 'COUNT', entity: 'finding' } }
const dashboard = { name: 'A', placements: [{ metricSlug: 'a' }] }
const detector = {
  key: 'a',
  displayName: 'A',
  definition: {
    rule: { any: [{ type: 'KEYWORDS', keywords: ['a'] }] },
    examples: { match: ['a'], noMatch: ['b'] },
  },
}
const finding = {
  asset: { key: 'a' },
  detectorType: 'YARA',
  findingType: 'X',
  severity: 'LOW',
  firstDetectedAt: '2026-01-01T00:00:00Z',
}

describe('schemas/', () => {
  it('contains exactly the generated schemas', () => {
    expect(readdirSync(folder).sort()).toEqual([
      'config.schema.json',
      'custom-detector.schema.json',
      'dashboard.schema.json',
      'finding.schema.json',
      'glossary-term.schema.json',
      'metric.schema.json',
      'openapi.json',
      'sla-policy.schema.json',
      'source-bi-platform.schema.json',
      'source-wiki.schema.json',
      'watch.schema.json',
    ])
  })

  it.each([
    ['source-wiki.schema.json', wiki.config],
    ['source-bi-platform.schema.json', bi.config],
    ['glossary-term.schema.json', term],
    ['metric.schema.json', metric],
    ['dashboard.schema.json', dashboard],
    ['custom-detector.schema.json', detector],
    ['finding.schema.json', finding],
    ['config.schema.json', { port: 0 }],
  ])('%s is valid draft 2020-12, accepts valid values and refuses an unknown key', (name, value) => {
    expect(load(name).$schema).toBe('https://json-schema.org/draft/2020-12/schema')
    const validate = compile(name)
    expect(validate(value), JSON.stringify(validate.errors)).toBe(true)
    expect(validate({ ...value, nonsense: 1 })).toBe(false)
  })

  it('openapi.json is a valid OpenAPI 3.1 document', async () => {
    const document = await SwaggerParser.validate(load('openapi.json'))
    expect(document).toMatchObject({ openapi: '3.1.0' })
  })
})

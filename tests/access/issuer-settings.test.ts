import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { thrownBy } from '../support/context.ts'

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'assay-config-'))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

const inFile = {
  issuer: 'https://login.example.com',
  audience: ['https://assay.example.com/mcp'],
  algorithms: ['ES256'],
  types: ['at+jwt'],
  scopeClaim: 'roles',
  scopes: { 'Assay.Reader': 'read' },
}
const load = (env: Record<string, string>, file: object = { oidc: inFile }) => {
  writeFileSync(join(home, 'config.json'), JSON.stringify(file))
  return loadConfig({ home }, env).oidc
}

describe('an environment variable for the issuer', () => {
  it.each([
    ['ASSAY_OIDC_ISSUER', 'https://other.example.com', { issuer: 'https://other.example.com' }],
    ['ASSAY_OIDC_AUDIENCE', 'a, b', { audience: ['a', 'b'] }],
    ['ASSAY_OIDC_ALGORITHMS', 'RS256,EdDSA', { algorithms: ['RS256', 'EdDSA'] }],
    ['ASSAY_OIDC_TYPES', 'JWT', { types: ['JWT'] }],
    ['ASSAY_OIDC_SCOPE_CLAIM', 'groups', { scopeClaim: 'groups' }],
    ['ASSAY_OIDC_SCOPES', 'urn:x=1=read, boss=admin', { scopes: { 'urn:x=1': 'read', boss: 'admin' } }],
  ])('%s overrides its own setting only', (name, text, changes) => {
    expect(load({ [name]: text })).toEqual({ ...inFile, ...changes })
  })

  it('is ignored when it is empty', () => {
    expect(load({ ASSAY_OIDC_ISSUER: '', ASSAY_OIDC_SCOPES: '' })).toEqual(inFile)
    expect(load({ ASSAY_OIDC_ISSUER: '' }, {})).toBeUndefined()
  })

  it.each([
    { ASSAY_OIDC_SCOPE: 'read' },
    { ASSAY_OIDC_SCOPES: 'reader' },
    { ASSAY_OIDC_SCOPES: 'reader=everything' },
    { ASSAY_OIDC_ISSUER: 'http://login.example.com' },
    { ASSAY_OIDC_ISSUER: 'login' },
    { ASSAY_OIDC_ALGORITHMS: 'HS256' },
  ])('%j is refused instead of being ignored', (env) => {
    expect(thrownBy(() => load(env)).code).toBe('invalid_input')
  })

  it('does not configure an issuer without its other settings', () => {
    expect(thrownBy(() => load({ ASSAY_OIDC_AUDIENCE: 'a' }, {})).code).toBe('invalid_input')
    expect(load({ ASSAY_OIDC_ISSUER: 'https://a.example.com', ASSAY_OIDC_AUDIENCE: 'a' }, {})).toMatchObject({
      issuer: 'https://a.example.com',
      audience: ['a'],
      scopeClaim: 'scope',
    })
  })
})

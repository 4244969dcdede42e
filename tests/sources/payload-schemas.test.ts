import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { connectors } from '../../src/connectors/index.ts'
import { detectorDescriptions } from '../../src/detectors/descriptions.ts'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { listConfigProblems } from '../../src/sources/config.ts'
import { isLong } from '../support/long.ts'

const plugins = { connectors, detectors: detectorDescriptions }
const load = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../schemas/source-${name}.schema.json`, import.meta.url), 'utf8'))
const compile = (name: string) => new Ajv2020({ strict: false, validateFormats: false }).compile(load(name))
const published = { bi: compile('bi-platform'), wiki: compile('wiki') }
const { wiki, bi } = sampleSourceConfigs({
  wikiUrl: 'http://127.0.0.1:1',
  biUrl: 'http://127.0.0.1:2',
  authorityUrl: 'http://127.0.0.1:3',
})
type Payload = Record<string, unknown>
const isTaken = (payload: Payload) => listConfigProblems(plugins, payload).length === 0

const uuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const principal = { auth_mode: 'SERVICE_PRINCIPAL', tenant_id: uuid, client_id: uuid }
const biPayload = (required: object, masked: object): Payload => ({ type: 'BI_PLATFORM', required, masked })

describe('the published schema of a BI platform requires what the server requires', () => {
  it.each<[string, object, object, boolean]>([
    ['an application with its secret', principal, { client_secret: 's' }, true],
    ['an application without a secret', principal, {}, false],
    ['an application with a token', principal, { access_token: 't' }, false],
    ['an application with both', principal, { client_secret: 's', access_token: 't' }, false],
    ['an application without its tenant', { ...principal, tenant_id: undefined }, { client_secret: 's' }, false],
    ['an application without its id', { ...principal, client_id: undefined }, { client_secret: 's' }, false],
    ['a token', { auth_mode: 'ACCESS_TOKEN' }, { access_token: 't' }, true],
    ['a token of a named tenant', { ...principal, auth_mode: 'ACCESS_TOKEN' }, { access_token: 't' }, true],
    ['no token', { auth_mode: 'ACCESS_TOKEN' }, {}, false],
    ['a secret in place of a token', { auth_mode: 'ACCESS_TOKEN' }, { client_secret: 's' }, false],
    ['no mode', { tenant_id: uuid, client_id: uuid }, { client_secret: 's' }, false],
    ['another mode', { ...principal, auth_mode: 'PASSWORD' }, { client_secret: 's' }, false],
  ])('%s', (_name, required, masked, expected) => {
    const payload = JSON.parse(JSON.stringify(biPayload(required, masked))) as Payload
    expect([isTaken(payload), published.bi(payload)]).toEqual([expected, expected])
  })

  it.each([
    ['a UUID', uuid, true],
    ['a UUID in capitals', uuid.toUpperCase(), true],
    ['36 digits and dashes in other places', '3f2504e04f89-41d3-9a0c-0305-e82c3301', false],
    ['36 dashes', '-'.repeat(36), false],
    ['a domain', 'contoso.onmicrosoft.com', false],
  ])('tenant_id and client_id are UUIDs: %s', (_name, id, expected) => {
    for (const member of ['tenant_id', 'client_id']) {
      const payload = biPayload({ ...principal, [member]: id }, { client_secret: 's' })
      expect([isTaken(payload), published.bi(payload)], member).toEqual([expected, expected])
    }
  })
})

const RUNS = isLong ? 2_000 : 500

describe('the published schemas agree with the server', () => {
  const values = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      1,
      -1,
      1.5,
      4,
      1023,
      1024,
      10,
      11,
      251,
      300,
      301,
      1e21,
      '',
      'x',
      '7',
    ),
    fc.constantFrom<unknown>([], {}, [7], ['7'], ['x'], [1.5], 'current', 'global', 'UTC', 'daily', '0 6 * * *', uuid),
  )

  /** Every path of a payload, and some that it does not have. */
  function listPaths(value: unknown, path: string[] = []): string[][] {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path]
    const inner = Object.entries(value).flatMap(([name, member]) => listPaths(member, [...path, name]))
    return [...(path.length === 0 ? [] : [path]), ...inner, [...path, 'unknown']]
  }

  function withValue(value: unknown, [name, ...rest]: string[], next: unknown): unknown {
    if (name === undefined) return next
    const members = value as Payload
    return { ...members, [name]: withValue(members[name] ?? {}, rest, next) }
  }

  /** What a JSON Schema does not show: formats, addresses, time zones, known columns and detectors. */
  const isBeyondSchema = (path: readonly string[]) =>
    ['account_email', 'base_url', 'api_base_url', 'authority_url', 'timezone', 'order_by_column', 'cron'].includes(
      path.at(-1) ?? '',
    ) || ['schedule', 'detectors', 'masked', 'sampling'].includes(path[0] ?? '')

  const full = {
    wiki: {
      ...wiki.config,
      optional: {
        connection: { max_retries: 3, rate_limit_delay_seconds: 0, request_timeout_seconds: 30 },
        content: {
          attachment_max_bytes: 2048,
          include_attachments: true,
          include_footer_comments: true,
          include_inline_comments: true,
          include_linked_file_assets: true,
        },
        scope: { spaces: { type: 'global', ids: [1], keys: ['A'], labels: ['a'], status: 'current' } },
      },
    },
    bi: {
      ...bi.config,
      optional: {
        connection: { timeout_seconds: 30 },
        extraction: {
          extract_dashboards: true,
          extract_dataset_schema: true,
          extract_datasets_to_containers: false,
          extract_ownership: false,
          extract_reports: true,
          extract_workspaces_to_containers: true,
        },
        scope: { include_personal_workspaces: false, workspace_ids: [uuid], workspace_names: ['A'] },
      },
    },
  }

  it.each(['wiki', 'bi'] as const)('on a payload of %s with one member changed', (type) => {
    const payload = full[type]
    expect([isTaken(payload), published[type](payload)]).toEqual([true, true])
    const paths = listPaths(payload).filter((path) => !isBeyondSchema(path))
    const seen = { taken: 0, refused: 0 }
    fc.assert(
      fc.property(fc.constantFrom(...paths), values, (path, value) => {
        const changed = withValue(payload, path, value) as Payload
        const taken = isTaken(changed)
        seen[taken ? 'taken' : 'refused']++
        expect(published[type](changed), `${path.join('.')} = ${JSON.stringify(value)}`).toBe(taken)
      }),
      { numRuns: RUNS },
    )
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(RUNS / 50)
  })
})

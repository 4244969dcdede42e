import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestStep } from '../../../src/connectors/connector.ts'
import { WikiConfig } from '../../../src/connectors/wiki/config.ts'
import { wikiConnector } from '../../../src/connectors/wiki/index.ts'
import { onPath, type SampleFault } from '../../sample/fault.ts'
import {
  accountEmail,
  apiToken,
  attachmentOf,
  cloudId,
  configOf,
  crawlAll,
  openWiki,
  pageOf,
  prefix,
  reasonOf,
  spaceOf,
  startWiki,
  stopWikis,
} from './support.ts'

afterEach(stopWikis)

const payload = (over: object = {}) => ({
  type: 'WIKI',
  required: { account_email: 'a@example.com', base_url: 'https://acme.atlassian.net' },
  masked: { api_token: 'secret' },
  ...over,
})
const issuesOf = (value: unknown) => WikiConfig.safeParse(value).error?.issues.map(({ path }) => path.join('.')) ?? []

describe('the payload', () => {
  test('requires three members only, and fills in the defaults', () => {
    expect(WikiConfig.parse(payload()).optional).toEqual({
      connection: { max_retries: 3, rate_limit_delay_seconds: 0, request_timeout_seconds: 30 },
      content: {
        attachment_max_bytes: 5_242_880,
        include_attachments: true,
        include_footer_comments: true,
        include_inline_comments: true,
        include_linked_file_assets: true,
      },
      scope: { spaces: {} },
    })
  })

  test.each<[object, string]>([
    [{ required: { account_email: 'a@example.com' } }, 'required.base_url'],
    [{ required: { account_email: 'nobody', base_url: 'https://a.example' } }, 'required.account_email'],
    [{ masked: {} }, 'masked.api_token'],
    [{ masked: { api_token: '  ' } }, 'masked.api_token'],
    [{ masked: { api_token: 'x', password: 'y' } }, 'masked'],
    [{ extra: 1 }, ''],
    [{ optional: { connection: { max_retries: 11 } } }, 'optional.connection.max_retries'],
    [{ optional: { connection: { rate_limit_delay_seconds: -1 } } }, 'optional.connection.rate_limit_delay_seconds'],
    [{ optional: { connection: { request_timeout_seconds: 0.5 } } }, 'optional.connection.request_timeout_seconds'],
    [{ optional: { connection: { timeout: 1 } } }, 'optional.connection'],
    [{ optional: { content: { attachment_max_bytes: 1023 } } }, 'optional.content.attachment_max_bytes'],
    [{ optional: { scope: { spaces: { type: 'team' } } } }, 'optional.scope.spaces.type'],
    [{ optional: { scope: { spaces: { ids: ['DOCS'] } } } }, 'optional.scope.spaces.ids.0'],
    [{ optional: { scope: { spaces: { ids: [1.5] } } } }, 'optional.scope.spaces.ids.0'],
    [
      { optional: { scope: { spaces: { keys: Array.from({ length: 251 }, () => 'A') } } } },
      'optional.scope.spaces.keys',
    ],
    [{ optional: { scope: { spaces: { status: 'open' } } } }, 'optional.scope.spaces.status'],
    [{ optional: { scope: { pages: {} } } }, 'optional.scope'],
  ])('%j is refused at %s', (over, path) => {
    expect(issuesOf(payload(over))).toEqual([path])
  })

  test.each(['jürgen@müller.de', '"ada lovelace"@example.com', 'ada@localhost'])(
    '%s is an account',
    (account_email) => {
      const required = { account_email, base_url: 'https://acme.atlassian.net' }
      expect(issuesOf(payload({ required }))).toEqual([])
    },
  )

  test('a token is trimmed', () => {
    expect(WikiConfig.parse(payload({ masked: { api_token: ' secret\n' } })).masked.api_token).toBe('secret')
  })

  test('every member is described', () => {
    const undescribed: string[] = []
    const walk = (schema: Record<string, unknown>, path: string) => {
      for (const [name, member] of Object.entries(
        (schema.properties ?? {}) as Record<string, Record<string, unknown>>,
      )) {
        if (typeof member.description !== 'string') undescribed.push(`${path}${name}`)
        walk(member, `${path}${name}.`)
      }
    }
    walk(z.toJSONSchema(WikiConfig, { io: 'input' }), '')
    expect(undescribed).toEqual([])
  })
})

describe('the address', () => {
  const withAddress = (address: string) => payload({ required: { account_email: 'a@example.com', base_url: address } })

  test.each([
    'https://acme.atlassian.net',
    'https://acme.atlassian.net/',
    'https://acme.atlassian.net/wiki',
    'https://acme.atlassian.net/wiki/',
    'https://wiki.acme.example',
    `https://api.atlassian.com/ex/confluence/${cloudId}`,
    `https://api.atlassian.com/ex/confluence/${cloudId}/wiki`,
    'http://127.0.0.1:8080/wiki',
    'http://localhost:8080',
  ])('%s is accepted', (address) => {
    expect(issuesOf(withAddress(address))).toEqual([])
  })

  test.each([
    'http://acme.atlassian.net',
    'https://user:pass@acme.atlassian.net',
    'https://acme.atlassian.net/wiki/spaces/A',
    'https://acme.atlassian.net/?a=b',
    'https://acme.atlassian.net/#a',
    'https://api.atlassian.com',
    'https://api.atlassian.com/ex/jira/1',
    'ftp://acme.atlassian.net',
    'acme.atlassian.net',
  ])('%s is refused', (address) => {
    expect(issuesOf(withAddress(address))).toEqual(['required.base_url'])
  })

  test.each([
    ['https://acme.atlassian.net/wiki', ['https://acme.atlassian.net', 'https://api.atlassian.com']],
    [`https://api.atlassian.com/ex/confluence/${cloudId}`, ['https://api.atlassian.com']],
    ['http://127.0.0.1:8080', ['http://127.0.0.1:8080']],
  ])('%s is sent the credential as %j', (address, origins) => {
    expect(wikiConnector.credentialOrigins(configOf(address))).toEqual(origins)
  })
})

describe('sign-in', () => {
  test('requests the id of the tenant, and stores it', async () => {
    const wiki = await startWiki({})
    const session = openWiki(wiki.url)
    await session.scopes()
    expect(session.tenants).toEqual([cloudId])
  })

  test('uses a stored id', async () => {
    const wiki = await startWiki({})
    const session = openWiki(wiki.url, { tenantId: 'stored' })
    const { assets } = await crawlAll(session)
    expect([...assets.keys()]).toEqual(['wiki:stored:space:1'])
    expect(session.tenants).toEqual([])
    expect(wiki.requests.some(({ path }) => path.includes('tenant_info'))).toBe(false)
  })

  test('uses the host where the tenant does not report its id', async () => {
    const wiki = await startWiki({}, { faults: [{ match: onPath(/tenant_info/), respond: { status: 404 } }] })
    const session = openWiki(wiki.url)
    await session.scopes()
    expect(session.tenants).toEqual([new URL(wiki.url).host])
  })

  test('does not send the credential where it is not needed', async () => {
    const wiki = await startWiki({})
    await openWiki(wiki.url).scopes()
    const asked = wiki.requests.find(({ path }) => path.includes('tenant_info'))
    expect(asked?.headers.authorization).toBeUndefined()
  })

  test('finds the gateway where the token has scopes, or where the address is the gateway', async () => {
    const wiki = await startWiki({ pages: [pageOf('10')] }, { tokenKind: 'scoped' })
    for (const address of [wiki.url, `${wiki.url}/ex/confluence/${cloudId}/wiki`]) {
      const { assets, error } = await crawlAll(openWiki(address))
      expect(error).toBeUndefined()
      expect(assets.get(`${prefix}:page:10`)?.url).toContain(`${wiki.url}/wiki/spaces/S1/pages/10`)
    }
  })

  test.each<[string, Parameters<typeof startWiki>[1]]>([
    ['an anonymous answer', { faults: [{ match: () => true, respond: 'anonymous' }] }],
    ['a refusal', { faults: [{ match: onPath(/\/wiki\//), respond: { status: 401, body: {} } }] }],
  ])('%s is reported as a refused token, not as an empty wiki', async (_name, options) => {
    const wiki = await startWiki({ pages: [pageOf('10')] }, options)
    await expect(openWiki(wiki.url).scopes()).rejects.toSatisfy((error) => reasonOf(error) === 'auth_failed')
  })

  test('a token without permission to read its own account can still read the wiki', async () => {
    const wiki = await startWiki(
      { pages: [pageOf('10')] },
      { faults: [{ match: onPath(/user\/current/), respond: { status: 403, body: {} } }] },
    )
    expect((await crawlAll(openWiki(wiki.url))).assets.has(`${prefix}:page:10`)).toBe(true)
  })
})

describe('the scope of a wiki', () => {
  const spaces = [
    spaceOf('1', { key: 'DOCS', labels: ['a'] }),
    spaceOf('2', { key: 'OPS', status: 'archived', labels: ['b'] }),
    spaceOf('3', { key: '~ann', type: 'personal', labels: ['a', 'b'] }),
  ]
  const scopesOf = async (filter: object) => {
    const wiki = await startWiki({ spaces })
    return openWiki(wiki.url, { optional: { scope: { spaces: filter } } }).scopes()
  }

  test.each<[object, string[]]>([
    [{}, ['1', '2', '3']],
    [{ keys: ['DOCS', '~ann'] }, ['1', '3']],
    [{ ids: [2] }, ['2']],
    [{ type: 'personal' }, ['3']],
    [{ status: 'current' }, ['1', '3']],
    [{ labels: ['b'] }, ['2', '3']],
    [{ labels: ['a', 'b'], status: 'archived' }, ['2']],
    [{ keys: [] }, ['1', '2', '3']],
    [{ ids: [], labels: [] }, ['1', '2', '3']],
    [{ ids: ['2', 3] }, ['2', '3']],
  ])('%j leaves %j', async (filter, expected) => {
    expect((await scopesOf(filter)).scopes.map(({ key }) => key)).toEqual(expected)
  })

  test('counts a key as matched that the platform returns in another letter case', async () => {
    const wiki = await startWiki(
      { spaces },
      {
        faults: [
          {
            match: onPath(/\/spaces$/),
            respond: {
              rewrite: (reply) => {
                const { results } = reply.body as { results: { key: string }[] }
                for (const space of results) space.key = space.key.toUpperCase()
                return reply
              },
            },
          },
        ],
      },
    )
    const { warnings } = await openWiki(wiki.url, { optional: { scope: { spaces: { keys: ['~ann'] } } } }).scopes()
    expect(warnings).toEqual([])
  })

  test('reports names that match nothing', async () => {
    const { scopes, warnings } = await scopesOf({ keys: ['DOCS', 'DOX'] })
    expect(scopes).toHaveLength(1)
    expect(warnings).toMatchObject([{ code: 'scope_unmatched', scope: 'DOX' }])
  })

  test.each<[object]>([[{ keys: ['NONE'] }], [{ ids: [99] }], [{ type: 'system' }]])(
    'fails when %j matches nothing',
    async (filter) => {
      await expect(scopesOf(filter)).rejects.toSatisfy((error) => reasonOf(error) === 'scope_unmatched')
    },
  )

  test('requests hundreds of long keys in addresses of bounded length', async () => {
    const wiki = await startWiki({
      spaces: Array.from({ length: 250 }, (_, index) =>
        spaceOf(String(index + 1), { key: `KEY${'X'.repeat(40)}${index}` }),
      ),
    })
    const keys = Array.from({ length: 250 }, (_, index) => `KEY${'X'.repeat(40)}${index}`)
    const { scopes } = await openWiki(wiki.url, { optional: { scope: { spaces: { keys } } } }).scopes()
    expect(scopes).toHaveLength(250)
    expect(Math.max(...wiki.requests.map(({ url }) => url.length))).toBeLessThan(4_000)
  })
})

describe('the connection test', () => {
  const content = { pages: [pageOf('10')], attachments: [attachmentOf('att5', '10')] }
  const outcomes = (steps: readonly TestStep[]) => Object.fromEntries(steps.map(({ name, status }) => [name, status]))
  const good = {
    address: 'ok',
    sign_in: 'ok',
    list_scopes: 'ok',
    scope: 'skipped',
    read_items: 'ok',
    read_comments: 'ok',
    download_attachments: 'ok',
  }

  test('reports which steps succeed, and downloads nothing', async () => {
    const wiki = await startWiki(content)
    expect(outcomes(await openWiki(wiki.url).test())).toEqual(good)
    expect(wiki.requests.filter(({ server }) => server === 'media')).toEqual([])
  })

  const scopeMissing = { status: 401, body: { message: 'Unauthorized; scope does not match' } }
  const elsewhere = { status: 302, headers: { location: 'https://evil.example/' } }
  test.each<[RegExp, SampleFault['respond'], object]>([
    [/comments/, scopeMissing, { read_comments: 'denied' }],
    [/\/attachments/, scopeMissing, { download_attachments: 'denied' }],
    [/\/pages/, { status: 500 }, { read_items: 'failed', read_comments: 'skipped' }],
    [/\/download$/, elsewhere, { download_attachments: 'failed' }],
  ])('reports the step that fails: %s', async (path, respond, expected) => {
    const wiki = await startWiki(content, { faults: [{ match: onPath(path), respond }] })
    const steps = await openWiki(wiki.url).test()
    expect(outcomes(steps)).toEqual({ ...good, ...expected })
    for (const { status, hint } of steps) if (status === 'denied' || status === 'failed') expect(hint).toMatch(/\.$/)
  })

  test('reports a space of the scope that the account does not see', async () => {
    const wiki = await startWiki({ ...content, spaces: [spaceOf('1', { key: 'DOCS' })] })
    const test = (keys: string[]) => openWiki(wiki.url, { optional: { scope: { spaces: { keys } } } }).test()
    expect(outcomes(await test(['DOCS']))).toEqual({ ...good, scope: 'ok' })
    const steps = await test(['DOCS', 'DOX'])
    expect(outcomes(steps)).toEqual({ ...good, scope: 'failed' })
    expect(steps.find(({ name }) => name === 'scope')?.detail).toBe('Not visible: DOX')
  })

  test('skips the other steps when sign-in fails', async () => {
    const wiki = await startWiki(content, {
      faults: [{ match: onPath(/\/wiki\//), respond: { status: 401, body: {} } }],
    })
    const steps = await openWiki(wiki.url).test()
    expect(steps.map(({ status }) => status)).toEqual(['ok', 'denied', ...Array(5).fill('skipped')])
  })

  test('never throws and never shows the credential', async () => {
    const steps = await openWiki('http://127.0.0.1:9').test()
    expect(steps[1]?.status).toBe('failed')
    const shown = JSON.stringify(steps)
    for (const secret of [apiToken, Buffer.from(`${accountEmail}:${apiToken}`).toString('base64')]) {
      expect(shown).not.toContain(secret)
    }
  })
})

const large = '9007199254740993'
const isSpaces = ({ path, query }: { path: string; query: URLSearchParams }) =>
  path.endsWith('/spaces') && query.has('ids')

test('ids of spaces are sent to the wiki without rounding, whether numbers or strings of digits', async () => {
  const wiki = await startWiki({ spaces: [spaceOf('7'), spaceOf(large)] })
  const spaces = { ids: [7, large] }
  const { scopes, warnings } = await openWiki(wiki.url, { optional: { scope: { spaces } } }).scopes()
  expect([scopes.map(({ key }) => key), warnings]).toEqual([['7', large], []])
  expect(wiki.requests.find(isSpaces)?.query.get('ids')).toBe(`7,${large}`)
})

test('a number that is too large to be exact is refused with the advice to write a string', () => {
  const { error } = WikiConfig.safeParse({
    ...configOf('http://127.0.0.1:1'),
    optional: { scope: { spaces: { ids: JSON.parse(`[${large}]`) } } },
  })
  expect(error?.issues).toMatchObject([{ path: ['optional', 'scope', 'spaces', 'ids', 0] }])
  expect(error?.issues[0]?.message).toContain('as strings, such as "9007199254740993"')
})

test('a deleted space is recognized by its id, even if it exceeds 2^53', async () => {
  const wiki = await startWiki({ spaces: [spaceOf('7'), spaceOf(large)] })
  const session = openWiki(wiki.url, { optional: { scope: { spaces: { ids: [7] } } } })
  await session.scopes()
  expect([...((await session.findLeft?.([large, '12'])) ?? [])]).toEqual([[large, 'left_out']])
})

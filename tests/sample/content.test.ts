import { describe, expect, test } from 'vitest'
import { parseStorage } from '../../src/documents/markup/confluence-storage.ts'
import { createSampleBiTenant } from '../../src/sample/bi/content.ts'
import { companyPages } from '../../src/sample/company/page.ts'
import { people, secrets } from '../../src/sample/company/values.ts'
import { createSampleWikiTenant, toSpaceId } from '../../src/sample/wiki/content.ts'
import { generatedWiki, toGeneratedId, toGeneratedPlant } from './generated-wiki.ts'
import { planted } from './planted-content.ts'
import { toTextFacts } from './text-facts.ts'

const wiki = createSampleWikiTenant()
const bi = createSampleBiTenant()
const workspaces = [...bi.workspaces.values()]

describe('the sample tenants have a realistic size', () => {
  test('at least 150 pages in four spaces, and a personal and an archived space', () => {
    const counts = ['ENG', 'OPS', 'PEOPLE', 'RETAIL'].map(
      (key) => companyPages.filter(({ space }) => space === key).length,
    )
    expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(150)
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(30)
    expect([...wiki.spaces.values()].map(({ type, status }) => `${type} ${status}`)).toEqual(
      expect.arrayContaining(['personal current', 'global archived']),
    )
  })

  test('attachments of six kinds, comments of both kinds with replies to replies', () => {
    const endings = new Set([...wiki.attachments.values()].map(({ title }) => title.split('.').at(-1)))
    expect([...endings].sort()).toEqual(['csv', 'docx', 'log', 'pdf', 'png', 'txt', 'xlsx'])
    const comments = [...wiki.comments.values()]
    const depthOf = (id: string | undefined): number =>
      id === undefined ? 0 : 1 + depthOf(wiki.comments.get(id)?.parentId)
    expect(Math.max(...comments.map(({ id }) => depthOf(id)))).toBe(3)
    expect(new Set(comments.map(({ kind }) => kind))).toEqual(new Set(['footer', 'inline']))
  })
})

test('five BI workspaces with forty reports', () => {
  const open = workspaces.filter((workspace) => workspace.open)
  expect(open).toHaveLength(5)
  expect(open.flatMap(({ reports }) => reports).length).toBeGreaterThanOrEqual(40)
  expect(open.every(({ datasets, dashboards }) => datasets.length > 0 && dashboards.length > 0)).toBe(true)
  const foreign = open.flatMap(({ id, reports }) =>
    reports.filter(({ datasetWorkspaceId = id }) => datasetWorkspaceId !== id),
  )
  expect(foreign.length).toBeGreaterThanOrEqual(2)
})

describe('the content is the same in every run', () => {
  const flatten = (today: number) => {
    const tenant = createSampleWikiTenant({ today })
    return {
      pages: [...tenant.pages.values()].map(({ id, title, body, labels, parentId, version }) => [
        id,
        title,
        body,
        labels,
        parentId,
        version.number,
      ]),
      comments: [...tenant.comments.values()].map(({ id, body, parentId }) => [id, body, parentId]),
      files: [...tenant.attachments.values()].map(({ id, title, fileId, bytes }) => [
        id,
        title,
        fileId,
        Buffer.from(bytes()).toString('base64'),
      ]),
    }
  }

  test('on any day', () => {
    expect(flatten(Date.UTC(2031, 5, 6))).toEqual(flatten(Date.UTC(2026, 0, 2)))
  })

  test('without addresses of servers with dynamic ports', () => {
    const texts = [
      ...[...wiki.pages.values()].map((page) => wiki.bodyOf(page)),
      ...[...wiki.comments.values()].map(({ body }) => body),
      JSON.stringify(workspaces),
    ]
    const hosts = texts.flatMap((text) =>
      [...text.matchAll(/https?:\/\/([^/"'\s<)\]\\]+)/g)].map(([, host = '']) => host),
    )
    const outside = hosts.filter((host) => host !== '127.0.0.1:9' && !/(?:^|\.)example(?:\.(?:com|org))?$/.test(host))
    expect(outside).toEqual([])
    expect(hosts).toContain('127.0.0.1:9')
  })

  test('with unique ids', () => {
    const ids = [...wiki.pages.keys(), ...wiki.comments.keys(), ...wiki.attachments.keys(), ...wiki.spaces.keys()]
    expect(new Set(ids).size).toBe(ids.length)
    expect(wiki.pages.size).toBe(companyPages.length)
    const items = workspaces.flatMap(({ datasets, reports, dashboards }) => [...datasets, ...reports, ...dashboards])
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
  })
})

test('with valid links, except for the planted ones', () => {
  const titles = new Set([...wiki.pages.values()].map(({ spaceId, title }) => `${spaceId} ${title}`))
  const missing = companyPages.flatMap((page) => {
    const { links } = parseStorage(page.body, { site: 'http://site.invalid' })
    return links.flatMap(({ kind, reference }) => {
      const { title, space, filename } = reference ?? {}
      if (kind === 'page' && title !== undefined) {
        const spaceId = toSpaceId((space ?? page.space) as typeof page.space)
        return titles.has(`${spaceId} ${title}`) ? [] : [title]
      }
      if (kind !== 'attachment' || filename === undefined) return []
      return page.files?.some((file) => file.filename === filename) === true ? [] : [filename]
    })
  })
  const expected = planted.filter(({ findingType }) => /^(?:PAGE|ATTACHMENT)_MISSING$/.test(findingType))
  expect(missing.sort()).toEqual(expected.map(({ raw = '' }) => raw).sort())
})

test('with no similar pages except for the planted ones', () => {
  const facts = companyPages
    .map(({ slug, body }) => ({ slug, shingles: toTextFacts(body) }))
    .filter(({ shingles }) => shingles.size >= 20)
  const alike: string[] = []
  for (const [index, a] of facts.entries()) {
    for (const b of facts.slice(index + 1)) {
      const shared = [...a.shingles].filter((shingle) => b.shingles.has(shingle)).length
      if (shared / (a.shingles.size + b.shingles.size - shared) > 0.5) alike.push(`${a.slug} ${b.slug}`)
    }
  }
  expect(alike).toEqual(['eng-gradle-cache eng-gradle-cache-copy', 'ops-checklist-a ops-checklist-b'])
})

test('with active pages that remain recent and stale pages that remain old', () => {
  const now = Date.now()
  const old = [...wiki.pages.values()].filter(({ version }) => now - version.createdAt > 365 * 86_400_000)
  const fixed = companyPages.filter(({ edited }) => typeof edited === 'string')
  expect(old.map(({ title }) => title).sort()).toEqual(fixed.map(({ title }) => title).sort())
  expect(fixed.length).toBeGreaterThanOrEqual(5)
})

test('with planted values that are not in the source code in the scanned form', async () => {
  const { readdirSync, readFileSync } = await import('node:fs')
  const folder = new URL('../../src/sample/', import.meta.url)
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
    .join('\n')
  const values = [
    ...Object.values(secrets).flat(),
    people.refundCard,
    people.disputeCard,
    people.contractorSsn,
    ...people.payrollIbans,
    ...people.sheetSsns,
  ]
  expect(values.filter((value) => sources.includes(String(value)))).toEqual([])
})

describe('a generated wiki', () => {
  test('has the requested size, and the same text for the same seed', () => {
    const [one, two, other] = [
      generatedWiki({ pages: 5_200, seed: 3 }),
      generatedWiki({ pages: 5_200, seed: 3 }),
      generatedWiki({ pages: 10, seed: 4 }),
    ]
    expect(one.pages.size).toBe(5_200)
    expect(one.spaces.size).toBe(3)
    const bodyOf = (tenant: typeof one, number: number) => tenant.bodyOf(tenant.getPage(toGeneratedId(number)))
    expect(bodyOf(one, 5_000)).toBe(bodyOf(two, 5_000))
    expect(bodyOf(one, 3)).not.toBe(bodyOf(other, 3))
    expect(bodyOf(one, 3)).not.toBe(bodyOf(one, 4))
  })

  test('generates bodies only when they are requested', () => {
    const tenant = generatedWiki({ pages: 1 })
    const page = tenant.getPage(toGeneratedId(0))
    expect(typeof page.body).toBe('function')
    expect(tenant.bodyOf(page).length).toBeGreaterThan(1_000)
  })

  test('has the requested numbers of planted values, comments and files', () => {
    const tenant = generatedWiki({ pages: 100, seed: 9, plantEvery: 10, commentEvery: 5, attachmentEvery: 25 })
    const { password, mail } = toGeneratedPlant(9, 19)
    expect(tenant.bodyOf(tenant.getPage(toGeneratedId(19)))).toContain(password)
    expect(tenant.bodyOf(tenant.getPage(toGeneratedId(19)))).toContain(mail)
    expect(tenant.bodyOf(tenant.getPage(toGeneratedId(18)))).not.toContain('DB_PASSWORD')
    expect([tenant.comments.size, tenant.attachments.size]).toEqual([40, 4])
    expect(generatedWiki({ pages: 10, commentEvery: 0, attachmentEvery: 0 }).comments.size).toBe(0)
  })
})

import { describe, expect, test } from 'vitest'
import { createSampleBiTenant } from '../../src/sample/bi/content.ts'
import { companyPages } from '../../src/sample/company/page.ts'
import { people, secrets } from '../../src/sample/company/values.ts'
import { createSampleWikiTenant } from '../../src/sample/wiki/content.ts'

const wiki = createSampleWikiTenant()
const bi = createSampleBiTenant()
const workspaces = [...bi.workspaces.values()]

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

import { describe, expect, test } from 'vitest'
import { ContentQualityConfig } from '../../../src/detectors/content-quality/config.ts'
import { evaluateQuality, type QualitySubject } from '../../../src/detectors/content-quality/evaluate.ts'
import type { TextFacts } from '../../../src/detectors/content-quality/text-facts.ts'

const NOW = Date.UTC(2026, 5, 15)
const daysAgo = (days: number) => NOW - days * 86_400_000
const text = (more: Partial<TextFacts> = {}): TextFacts => ({
  words: 200,
  others: 0,
  placeholders: [],
  years: [],
  ...more,
})
const page = (more: Partial<QualitySubject> = {}): QualitySubject => ({
  kind: 'wiki.page',
  name: 'Page',
  contentUpdatedAt: daysAgo(10),
  facts: { ownerStatus: 'active' },
  text: text(),
  archived: false,
  below: 0,
  inbound: 0,
  ...more,
})
const comments = (facts: Record<string, unknown>): QualitySubject => ({
  kind: 'wiki.comments',
  name: 'Page',
  facts,
  archived: false,
  inbound: 0,
})
const item = (kind: string, facts: Record<string, unknown>, owner?: string): QualitySubject => ({
  kind,
  name: 'Sales',
  facts,
  archived: false,
  inbound: 0,
  ...(owner === undefined ? {} : { owner }),
})
const judge = (subject: QualitySubject, config: object = {}) =>
  evaluateQuality(subject, ContentQualityConfig.parse(config), NOW)
const typesOf = (subject: QualitySubject, config: object = {}) =>
  judge(subject, config).found.map((match) => match.findingType)

test('a maintained page has no finding, and every check is decided', () => {
  expect(judge(page())).toEqual({ found: [], undecided: new Set() })
})

describe.each<[string, QualitySubject, string[]]>([
  ['edited 366 days ago', page({ contentUpdatedAt: daysAgo(366) }), ['STALE']],
  ['edited 365 days ago', page({ contentUpdatedAt: daysAgo(365) }), []],
  ['old in an archive', page({ contentUpdatedAt: daysAgo(3000), archived: true }), []],
  ['an old report', item('bi.report', { description: true }), []],
  ['owned by a closed account', page({ facts: { ownerStatus: 'gone' } }), ['OWNER_GONE']],
  ['without any words', page({ text: text({ words: 0 }) }), ['EMPTY']],
  ['with 14 words', page({ text: text({ words: 14 }) }), ['EMPTY']],
  ['with 15 words', page({ text: text({ words: 15 }) }), []],
  ['with only an image', page({ text: text({ words: 0, others: 1 }) }), []],
  ['with pages below', page({ text: text({ words: 0 }), below: 2 }), []],
  [
    'with an old year',
    page({ text: text({ years: [{ year: 2023, shown: 'as of … 2023', path: 'body', start: 1, end: 9 }] }) }),
    ['OUTDATED_REFERENCE'],
  ],
  [
    'with a recent year',
    page({ text: text({ years: [{ year: 2024, shown: 'as of … 2024', path: 'body', start: 1, end: 9 }] }) }),
    [],
  ],
  ['an open comment of 91 days', comments({ openSince: [daysAgo(91), daysAgo(1)] }), ['UNRESOLVED_COMMENTS']],
  ['an open comment of 90 days', comments({ openSince: [daysAgo(90)] }), []],
  ['a report without description', item('bi.report', { description: false }, 'ann'), ['NO_DESCRIPTION']],
  ['a dataset of the platform itself', item('bi.dataset', { description: false, system: true }), []],
  ['a copy in an app', item('bi.report', { description: false, appCopy: true }), []],
  ['a dataset without owner', item('bi.dataset', { description: true, ownerless: true }), ['NO_OWNER']],
  ['a workspace without admins', item('bi.workspace', { admins: [] }), ['NO_OWNER']],
  ['a personal workspace', item('bi.workspace', { admins: [], personal: true }), []],
])('%s', (_, subject, types) => {
  test(`is ${types.length === 0 ? 'no finding' : types.join()}`, () => {
    expect(typesOf(subject)).toEqual(types)
  })
})

describe.each<[string, QualitySubject, string]>([
  ['the date of the last edit', { ...page(), contentUpdatedAt: undefined } as unknown as QualitySubject, 'STALE'],
  ['the status of the owner', page({ facts: {} }), 'OWNER_GONE'],
  ['the text', { ...page(), text: undefined } as unknown as QualitySubject, 'EMPTY'],
  [
    'its child pages',
    { ...page({ text: text({ words: 0 }) }), below: undefined } as unknown as QualitySubject,
    'EMPTY',
  ],
  ['the state of comments', comments({}), 'UNRESOLVED_COMMENTS'],
  ['a description', item('bi.report', {}, 'ann'), 'NO_DESCRIPTION'],
  ['owners', item('bi.dataset', { description: true }), 'NO_OWNER'],
  ['admins', item('bi.workspace', {}), 'NO_OWNER'],
])('where the platform does not report %s', (_, subject, type) => {
  test(`${type} is undecided`, () => {
    const { found, undecided } = judge(subject)
    expect(found).toEqual([])
    expect(undecided).toContain(type)
  })
})

test('a stale page that many others link to has a higher severity', () => {
  const old = { contentUpdatedAt: daysAgo(500) }
  expect(judge(page({ ...old, inbound: 10 })).found).toMatchObject([{ severity: 'LOW' }])
  expect(judge(page({ ...old, inbound: 11 })).found).toMatchObject([{ severity: 'MEDIUM' }])
})

test('every threshold can be configured', () => {
  const subject = page({ contentUpdatedAt: daysAgo(40), text: text({ words: 40 }) })
  expect(typesOf(subject, { staleAfterDays: 30, emptyBelowWords: 50 })).toEqual(['STALE', 'EMPTY'])
  expect(typesOf(comments({ openSince: [daysAgo(8)] }), { unresolvedAfterDays: 7 })).toEqual(['UNRESOLVED_COMMENTS'])
  expect(typesOf(page({ contentUpdatedAt: daysAgo(999) }), { types: ['EMPTY'] })).toEqual([])
  expect(ContentQualityConfig.safeParse({ staleAfterDays: 0 }).success).toBe(false)
  expect(ContentQualityConfig.safeParse({ types: ['UGLY'] }).success).toBe(false)
})

import { describe, expect, it } from 'vitest'
import {
  type Audience,
  type AudienceRule,
  type Directory,
  toAudience,
  toWidest,
} from '../../src/connectors/audience.ts'

const group = (...ids: string[]) => ({ size: ids.length, members: new Set(ids) })
const groups: Record<string, ReturnType<Directory['groupOf']>> = {
  two: group('ann', 'bob'),
  other: group('bob', 'cem', 'dee'),
  all: group('ann', 'bob', 'cem', 'dee', 'eve'),
  large: { size: 50_000 },
  counted: { size: 3 },
  uncounted: { size: null },
}
/** Five licensed users. */
const directory: Directory = { everyone: 5, groupOf: (id) => groups[id] }
const many: Directory = { ...directory, everyone: 100_000 }
const uncounted: Directory = { ...directory, everyone: null }

const readers = (over: Partial<AudienceRule>): AudienceRule => ({ groups: [], people: [], ...over })
const named = (...people: string[]) => readers({ people })
const within = (...ids: string[]) => readers({ groups: ids })
const open = readers({ anonymous: true })
const all = readers({ everyone: true })
const unread = null

describe('who passes the rules of an item', () => {
  it.each<[string, (AudienceRule | null)[], Directory, Audience['name'], number | null]>([
    ['no rule', [], directory, 'anonymous', null],
    ['open to visitors', [open], directory, 'anonymous', null],
    [
      'open to visitors and to groups that were not read',
      [readers({ anonymous: true, groups: ['gone'] })],
      directory,
      'anonymous',
      null,
    ],
    ['not read', [unread], directory, 'unknown', null],
    ['not read above what is restricted', [all, unread, named('ann')], directory, 'unknown', null],
    ['not read above what is open', [open, unread], directory, 'unknown', null],
    ['all licensed users', [all], directory, 'everyone', 5],
    ['all licensed users, of whom the number is not known', [all], uncounted, 'everyone', null],
    ['people without a licence, too', [readers({ unlicensed: true, people: ['ann'] })], directory, 'everyone', null],
    ['others than people and groups', [readers({ people: ['ann'], others: true })], directory, 'unknown', null],
    ['named people', [named('ann', 'bob')], directory, 'people', 2],
    ['named people, where the number of users is not known', [named('ann', 'bob')], uncounted, 'people', 2],
    ['nobody', [named()], directory, 'people', 0],
    ['named people who are all users', [named('ann', 'bob', 'cem', 'dee', 'eve')], directory, 'everyone', 5],
    ['a group', [within('two')], directory, 'group', 2],
    ['a group of 50,000', [within('large')], many, 'group', 50_000],
    ['a group that has all users', [within('all')], directory, 'everyone', 5],
    ['a group that has more than all users', [within('large')], directory, 'everyone', 5],
    ['a group, where the number of users is not known', [within('two')], uncounted, 'unknown', null],
    ['a group that was not read', [within('gone')], directory, 'unknown', null],
    ['a group of unknown size', [within('uncounted')], directory, 'unknown', null],
    ['a group that was not read beside one that has all', [within('gone', 'all')], directory, 'everyone', 5],
    ['overlapping groups', [within('two', 'other')], directory, 'group', 4],
    [
      'groups that have all users together',
      [readers({ groups: ['two', 'other'], people: ['eve'] })],
      directory,
      'everyone',
      5,
    ],
    ['a group and a person', [readers({ groups: ['two'], people: ['cem'] })], directory, 'group', 3],
    ['counted groups that may have all users together', [within('two', 'counted')], directory, 'unknown', null],
    ['counted groups that are too small for that', [within('two', 'counted')], many, 'group', null],
    ['a group in an open space', [open, within('two')], directory, 'group', 2],
    ['a group in a space of all', [all, within('two')], directory, 'group', 2],
    ['people in a group', [within('two'), named('bob', 'cem')], directory, 'people', 1],
    ['people in a counted group', [within('counted'), named('bob')], directory, 'people', null],
    ['two groups, one in the other', [within('two'), within('other')], directory, 'group', 1],
    ['visitors to what lies in a space of all', [all, open], directory, 'everyone', 5],
  ])('%s', (_title, rules, facts, name, size) => {
    expect(toAudience(rules, facts)).toMatchObject({ name, size })
  })
})

it('what stands in several places has the widest audience, or an unknown one', () => {
  const of = (name: Audience['name'], size: number | null = null): Audience => ({ name, size })
  expect(toWidest([])).toMatchObject(of('unknown'))
  expect(toWidest([of('people', 2)])).toEqual(of('people', 2))
  expect(toWidest([of('people', 2), of('group', 7)])).toEqual(of('group'))
  expect(toWidest([of('people', 2), of('unknown')])).toMatchObject(of('unknown'))
  expect(toWidest([of('unknown'), of('anonymous')])).toEqual(of('anonymous'))
})

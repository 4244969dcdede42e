import { describe, expect, it } from 'vitest'
import { BrokenLinksConfig } from '../../../src/detectors/broken-links/config.ts'
import { toLinkExcerpt } from '../../../src/detectors/broken-links/excerpt.ts'
import { brokenLinksDetector } from '../../../src/detectors/broken-links/index.ts'
import {
  evaluateInternalLink,
  type InternalLink,
  type LinkLookup,
  type LinkTarget,
} from '../../../src/detectors/broken-links/internal.ts'

const target = (facts: Partial<LinkTarget> = {}): LinkTarget => ({
  key: 'wiki:c:page:1',
  kind: 'wiki.page',
  name: 'Onboarding',
  deleted: false,
  status: 'current',
  anchors: ['First-steps', 'access'],
  ...facts,
})

const lookup: LinkLookup = {
  byKey: (key) =>
    ({
      'wiki:c:page:1': target(),
      'wiki:c:page:2': target({ deleted: true }),
      'wiki:c:page:3': target({ status: 'archived' }),
      'wiki:c:page:4': target({ status: 'trashed' }),
      'wiki:c:page:9': 'missing' as const,
      'bi:t:report:1': target({ kind: 'bi.report' }),
      'bi:t:report:9': 'missing' as const,
      'bi:t:dataset:9': 'missing' as const,
    })[key] ?? 'unknown',
  byTitle: (title, space) =>
    title === 'Onboarding' && space !== 'HR' ? target() : space === 'FAR' ? 'unknown' : 'missing',
  byFilename: (filename) => (filename === 'plan.pdf' ? target({ kind: 'wiki.attachment' }) : 'missing'),
  self: () => target(),
}

const to = (targetKey: string, type = 'references'): InternalLink => ({ type, targetKey })
const page = (id: number) => to(`wiki:c:page:${id}`)
const reference = (given: NonNullable<InternalLink['reference']>): InternalLink => ({
  type: 'references',
  reference: given,
})

const cases: [string, InternalLink, string | undefined][] = [
  ['a page by id', page(1), undefined],
  ['a page by id that was never seen', page(9), 'PAGE_MISSING MEDIUM 0.98'],
  ['a page by id that is deleted', page(2), 'PAGE_MISSING MEDIUM 0.98'],
  ['a page by id in a space that is not scanned', page(77), undefined],
  ['an archived page', page(3), 'STALE_TARGET LOW 0.9'],
  ['a page in the trash', page(4), 'STALE_TARGET LOW 0.9'],
  ['a page by title', reference({ title: 'Onboarding' }), undefined],
  ['a title that no page has', reference({ title: 'Gone' }), 'PAGE_MISSING MEDIUM 0.98'],
  ['a title in another space', reference({ title: 'Onboarding', space: 'HR' }), 'PAGE_MISSING MEDIUM 0.98'],
  ['a title in a space out of scope', reference({ title: 'X', space: 'FAR' }), undefined],
  ['an attachment', reference({ filename: 'plan.pdf' }), undefined],
  ['a missing attachment', reference({ filename: 'old.pdf' }), 'ATTACHMENT_MISSING MEDIUM 0.98'],
  ['an anchor of the page itself', reference({ anchor: 'First-steps' }), undefined],
  ['a missing anchor of the page itself', reference({ anchor: 'Nowhere' }), 'ANCHOR_MISSING LOW 0.8'],
  ['an anchor of another page', { ...page(1), reference: { id: '1', anchor: 'access' } }, undefined],
  ['a missing anchor of another page', reference({ title: 'Onboarding', anchor: 'x' }), 'ANCHOR_MISSING LOW 0.8'],
  ['a report whose dataset is missing', to('bi:t:dataset:9', 'uses_dataset'), 'DATASET_MISSING MEDIUM 0.98'],
  ['a report whose dataset is not visible', to('bi:t:dataset:5', 'uses_dataset'), undefined],
  ['a tile whose report exists', to('bi:t:report:1', 'tile_from_report'), undefined],
  ['a tile whose report is missing', to('bi:t:report:9', 'tile_from_report'), 'REPORT_MISSING MEDIUM 0.98'],
  ['a tile whose dataset is missing', to('bi:t:dataset:9', 'tile_from_dataset'), 'DATASET_MISSING MEDIUM 0.98'],
  ['links that are not checked', to('wiki:c:page:9', 'contains'), undefined],
]

describe('links inside the platform', () => {
  it.each(cases)('%s', (_name, link, expected) => {
    const verdict = evaluateInternalLink(link, lookup)
    expect(verdict && `${verdict.findingType} ${verdict.severity} ${verdict.confidence}`).toBe(expected)
    if (verdict !== undefined) expect(brokenLinksDetector.findingTypes).toContain(verdict.findingType)
  })

  it('does not check anchors when that is turned off', () => {
    const link = { type: 'references', reference: { anchor: 'Nowhere' } }
    expect(evaluateInternalLink(link, lookup, { checkAnchors: false })).toBeUndefined()
  })
})

describe('settings', () => {
  it('have defaults', () => {
    expect(BrokenLinksConfig.parse({})).toEqual({ allowHosts: [], checkExternal: true, checkAnchors: true })
  })

  it.each(['wiki.corp', 'localhost', '10.0.0.5', '::1', '[::1]', 'bücher.de'])('%s is accepted as a host', (host) => {
    expect(BrokenLinksConfig.safeParse({ allowHosts: [host] }).success).toBe(true)
  })

  it.each(['', 'http://wiki.corp', 'wiki.corp/x', 'wiki.corp:80', 'a b', 'u@wiki.corp', 'wiki.corp?x'])(
    '%s is refused as a host',
    (host) => {
      expect(BrokenLinksConfig.safeParse({ allowHosts: [host] }).success).toBe(false)
    },
  )
})

describe('excerpts', () => {
  it.each([
    ['https://shop.com/a?b=c#d', 'https://shop.com/a?b=c#d'],
    ['https://ana:hunter2@shop.com/', 'https://********@shop.com/'],
    ['https://shop.com/?token=abcdef&x=1#y', 'https://shop.com/?token=********&x=1#y'],
    ['https://shop.com/\u202E\u0000x', 'https://shop.com/x'],
    [`https://shop.com/${'x'.repeat(500)}`, `https://shop.com/${'x'.repeat(382)}…`],
  ])('of %s', (url, expected) => expect(toLinkExcerpt(url)).toBe(expected))
})

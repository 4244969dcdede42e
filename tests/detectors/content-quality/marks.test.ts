import { describe, expect, test } from 'vitest'
import { findPlaceholders, findPresentYears } from '../../../src/detectors/content-quality/marks.ts'
import { toTextFacts } from '../../../src/detectors/content-quality/text-facts.ts'
import type { AssayDocument } from '../../../src/documents/document.ts'
import { parseStorage } from '../../../src/documents/markup/confluence-storage.ts'
import { cpuMs } from '../../support/cpu.ts'

const TYPE = 'CONTENT_QUALITY'
const rulesIn = (source: string) => findPlaceholders(parseStorage(source), TYPE).map(({ rule }) => rule)
const yearsIn = (source: string) => findPresentYears(parseStorage(source), TYPE).map(({ shown }) => shown)
const paragraphs = (...texts: string[]) => texts.map((text) => `<p>${text}</p>`).join('')

describe('signs of unfinished text', () => {
  test.each([
    ['<p>Lorem ipsum dolor sit amet.</p>', 'lorem'],
    ['<p>[Insert diagram]</p>', 'insert'],
    ['<p>&lt;enter the name of the service here&gt;</p>', 'insert'],
    ['<p>{Describe your team…}</p>', 'insert'],
    ['<p>Your text goes here.</p>', 'here'],
    ['<p>Text hier einfügen</p>', 'here'],
    ['<p>Owner: TBD</p>', 'tbd'],
    ['<table><tbody><tr><th>Date</th></tr><tr><td>tbd.</td></tr></tbody></table>', 'tbd'],
    ['<p>Escalation – to be defined</p>', 'tbd'],
    ['<p>Zuständig: noch zu klären</p>', 'tbd'],
    ['<p>TODO: draw the picture</p>', 'todo'],
    ['<p>This page is under construction.</p>', 'stub'],
    ['<p>Coming soon!</p>', 'stub'],
    ['<p>Diese Seite ist noch im Aufbau.</p>', 'stub'],
    ['<p><ac:placeholder>Say what was decided.</ac:placeholder></p>', 'template'],
  ])('%s is %s', (source, rule) => {
    expect(rulesIn(source)).toEqual([rule])
  })

  test.each([
    '<p>Press [Insert] to overwrite, then choose [Add user].</p>',
    '<p>Open https://&lt;your-domain&gt;/api and log in.</p>',
    '<p>The date is to be confirmed by the customer before we print.</p>',
    '<p>Our to-do list is on the board; all todos are numbered.</p>',
    '<h2>TODO</h2><ul><li>Buy paper</li></ul>',
    '<p>The new hall is under construction until May.</p>',
    '<ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[// TODO: remove\nlorem ipsum]]></ac:plain-text-body></ac:structured-macro>',
    '<!-- TBD -->',
    '<p>Insert the card and wait for the green light.</p>',
    '<p>Owner: TBD (assay:ignore)</p>',
  ])('are not found in %s', (source) => {
    expect(rulesIn(source)).toEqual([])
  })

  test('are reported once per rule, at their first occurrence, without the surrounding words', () => {
    const source = `${paragraphs('Fine &amp; good 🙂', 'Budget: TBD')}\n${paragraphs('Owner: TBD')}`
    const [mark, ...others] = findPlaceholders(parseStorage(source), TYPE)
    expect(others).toEqual([])
    expect(mark).toMatchObject({ rule: 'tbd', shown: 'to be defined', line: 1 })
    expect(source.slice(mark?.start, mark?.end)).toBe('TBD')
  })

  test('are not reported on forms that are to be filled in', () => {
    const document = parseStorage('<p>[insert name] as of 2015</p>')
    expect(toTextFacts(document, { name: 'Meeting template' }, TYPE)).toMatchObject({ placeholders: [], years: [] })
    expect(toTextFacts(document, { name: 'Meeting', labels: ['template'] }, TYPE).placeholders).toEqual([])
    expect(toTextFacts(document, { name: 'Meeting' }, TYPE).placeholders).toHaveLength(1)
  })
})

test('a page that contains only a marker word is unfinished', () => {
  const bare = parseStorage('<h1>TODO</h1>')
  expect(toTextFacts(bare, { name: 'Harbour' }, TYPE).placeholders).toMatchObject([{ rule: 'todo' }])
})

describe('years that a text presents as current', () => {
  test.each([
    ['<p>As of March 2019 we use two suppliers.</p>', ['as of … 2019']],
    ['<p>Last reviewed: 12 May 2018</p>', ['last reviewed … 2018']],
    ['<p>The latest release (2017) has it.</p>', ['latest … 2017']],
    ['<p>Current 2016 prices are below.</p>', ['current … 2016']],
    ['<p>Stand: 03/2014</p>', ['stand … 2014']],
    [
      '<table><tbody><tr><th>Plan</th><th>Last updated</th></tr><tr><td>Hall</td><td>2015-04-01</td></tr></tbody></table>',
      ['last reviewed … 2015'],
    ],
  ])('%s', (source, years) => {
    expect(yearsIn(source)).toEqual(years)
  })

  test.each([
    '<p>In use since 2015, and current since 2016.</p>',
    '<p>The current limit is 2000 calls.</p>',
    '<p>The latest figures are below. In 2016 we began.</p>',
    '<h2>History</h2><p>As of 2012 there was one hall.</p>',
    '<h2>Minutes of 2013</h2><p>As of 2012 there was one hall.</p>',
    '<p>Founded in 2011.</p>',
  ])('are not found in %s', (source) => {
    expect(yearsIn(source)).toEqual([])
  })

  test('are not reported on a page whose title has a date', () => {
    const document = parseStorage('<p>As of 2014 all is well.</p>')
    expect(toTextFacts(document, { name: 'Review 2014' }, TYPE).years).toEqual([])
    expect(toTextFacts(document, { name: 'Suppliers' }, TYPE).years).toHaveLength(1)
  })
})

describe('the amount of content on a page', () => {
  const factsOf = (source: string) => {
    const { words, others } = toTextFacts(parseStorage(source), { name: 'Page' }, TYPE)
    return { words, others }
  }
  test.each([
    ['<p>Two words</p>', { words: 2, others: 0 }],
    ['<p>在庫は毎週月曜日に数えます</p>', { words: 7, others: 0 }],
    ['<p><ac:image><ri:attachment ri:filename="a.png"/></ac:image></p>', { others: 3 }],
    ['<ac:structured-macro ac:name="children" />', { words: 0, others: 1 }],
    [
      '<ac:structured-macro ac:name="info"><ac:rich-text-body><p>Closed</p></ac:rich-text-body></ac:structured-macro>',
      { words: 1, others: 0 },
    ],
    ['', { words: 0, others: 0 }],
  ])('%s', (source, facts) => {
    expect(factsOf(source)).toMatchObject(facts)
  })

  test('is counted within seconds for two million characters', () => {
    const started = cpuMs()
    const text = 'TBD to be [insert as of 2014 '.repeat(70_000)
    const document: AssayDocument = { mime: '', parts: [{ kind: 'text', text, path: 'body' }], links: [] }
    toTextFacts(document, { name: 'Page' }, TYPE)
    expect(cpuMs() - started).toBeLessThan(2_000)
  })
})

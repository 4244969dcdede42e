import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import {
  type Block,
  type Column,
  cell,
  command,
  fields,
  linked,
  type TableCell,
  table,
} from '../../src/cli/output/blocks.ts'
import { wrapText } from '../../src/cli/output/fit-text.ts'
import { layOut } from '../../src/cli/output/layout.ts'
import { describeScreen } from '../../src/cli/output/screen.ts'
import { toReadersTime } from '../../src/cli/output/times.ts'
import { widthOf } from '../../src/cli/output/width.ts'
import { line, showSentence } from '../../src/kernel/shown.ts'
import { hostileNames } from '../support/hostile-names.ts'

const plain = { hasColor: false, hasLinks: false }
const wide = { ...plain, width: Number.POSITIVE_INFINITY }
/** Characters that act on a terminal, and those that reorder text. */
const acting = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u
const columns: Column[] = [
  { title: line`id` },
  { title: line`severity` },
  { title: line`where`, shrink: 1 },
  { title: line`excerpt`, shrink: 2, isCut: true, isOptional: true },
]
const row = (id: number, severity: string, where: string, excerpt: string): TableCell[] => [
  cell.number(id),
  cell.status(severity),
  cell.name(where),
  cell.name(excerpt),
]
const rows = [
  row(7, 'CRITICAL', 'Deploying from a laptop', 'export the token of the deployment account'),
  row(12, 'LOW', 'Größe 人事部', 'short'),
]

describe('a table', () => {
  it('breaks no word of a title or a cell that fits its column', () => {
    const titles: Column[] = [
      { title: line`name` },
      { title: line`last complete scan`, min: 8, shrink: 1 },
      { title: line`id` },
    ]
    const cells = [cell.name('Company wiki'), cell.shown(line`never scanned`), cell.code('a020f7ec-2c64')]
    const lines = layOut([table(titles, [cells])], { ...plain, width: 37 })
    const words = lines.join(' ').split(/\s+/)
    for (const word of ['last', 'complete', 'scan', 'never', 'scanned']) expect(words).toContain(word)
    expect(lines.filter((text) => stringWidth(text) > 37)).toEqual([])
  })

  it('has its natural width on a pipe', () => {
    expect(layOut([table(columns, rows)], wide)).toEqual([
      'id  severity  where                    excerpt',
      '──  ────────  ───────────────────────  ──────────────────────────────────────────',
      '7   CRITICAL  Deploying from a laptop  export the token of the deployment account',
      '12  LOW       Größe 人事部             short',
    ])
  })

  it.each([
    [
      40,
      [
        'id  severity  where',
        '──  ────────  ───────────────────────',
        '7   CRITICAL  Deploying from a laptop',
        '12  LOW       Größe 人事部',
      ],
    ],
    [
      20,
      [
        'id:       7',
        'severity: CRITICAL',
        'where:',
        '  Deploying from a',
        '  laptop',
        'excerpt:',
        '  export the token',
        '  of the deployment',
        '  account',
        '',
        'id:       12',
        'severity: LOW',
        'where:',
        '  Größe 人事部',
        'excerpt:  short',
      ],
    ],
  ])('gives up its least telling columns first at %i columns', (width, lines) => {
    expect(layOut([table(columns, rows)], { ...plain, width })).toEqual(lines)
  })

  it('has times in the zone of the reader on a terminal, and in UTC on a pipe', () => {
    const at = '2026-01-31T23:05:00.123Z'
    const times = [table([{ title: line`at` }], [[cell.time(at)], [cell.time(null)]])]
    expect(layOut(times, wide).slice(2)).toEqual(['2026-01-31T23:05:00Z', 'never'])
    const [shown, never, note] = layOut(times, { ...plain, width: 60 }).slice(2)
    expect([shown, never]).toEqual([toReadersTime(at), 'never'])
    expect(note).toBe(`Times are in ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`)
    expect(['UTC', 'Europe/Berlin', 'Asia/Kolkata'].map((zone) => toReadersTime(at, zone))).toEqual([
      '2026-01-31 23:05',
      '2026-02-01 00:05',
      '2026-02-01 04:35',
    ])
  })

  it('keeps the quotes of a name that it cuts, and divides no escape', () => {
    const cut = [{ title: line`name`, shrink: 1, isCut: true as const, min: 4 }]
    const shown = (text: string, width: number) => layOut([table(cut, [[cell.name(text)]])], { ...plain, width })[2]
    expect(shown('a: b c d e f', 8)).toBe("'a: b'…")
    expect(shown('\u001b[2K\u001b[1A', 12)).toBe("'\\u001b[2K'…")
    expect(shown('\u001b[2K\u001b[1A', 8)).toBe("''…")
    expect(shown("it's: '''''''", 10)).toBe("'it\\'s:'…")
  })
})

describe('every line', () => {
  const names = hostileNames(300, 41)
  const blocks: Block[] = [
    table(
      columns,
      names.slice(0, 100).map((name, at) => row(at, 'HIGH', name, names[at + 1] ?? '')),
    ),
    table(
      [
        { title: line`name`, shrink: 1 },
        { title: line`n`, align: 'right' },
      ],
      names.slice(100, 200).map((name) => [cell.name(name, 60), cell.number(12_345)]),
    ),
    ...names.slice(200, 250).map((name) => line`! ${showSentence(name)}`),
    fields(...names.slice(250, 275).map((name) => [line`name`, cell.name(name)] as const)),
    command(line`  assay triage 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 --as open`),
  ]

  it.each(['क्ष', 'กำ', '\u0600١', '\ud800'])('wraps %j by the width that it is measured with', (cluster) => {
    const lines = wrapText(cluster.repeat(20), 10)
    expect(lines.filter((each) => stringWidth(each) > 10)).toEqual([])
  })

  it.each([20, 33, 60, 80, 120])('fits %i columns and acts on no terminal, for hostile names', (width) => {
    const lines = layOut(blocks, { ...plain, width })
    expect(lines.filter((each) => stringWidth(each) > width)).toEqual([])
    expect(lines.filter((each) => acting.test(each))).toEqual([])
  })

  it('loses nothing to wrapping', () => {
    const squeeze = (text: string) => text.replaceAll(/\s/g, '')
    const texts = names.map((name) => cell.name(name))
    const lines = layOut(
      [
        table(
          [{ title: line`name`, shrink: 1 }],
          texts.map((each) => [each]),
        ),
      ],
      { ...plain, width: 24 },
    )
    expect(squeeze(lines.slice(2).join('')) === squeeze(texts.map(({ text }) => text.normalize()).join(''))).toBe(true)
  })
})

it('a command that is wrapped can be copied as it is', () => {
  const [first, ...more] = layOut([command(line`  undo: assay triage 1 2 3 --as open --expect ignored`)], {
    ...plain,
    width: 29,
  })
  expect([first, ...more]).toEqual(['  undo: assay triage 1 2 \\', '    3 --as open --expect \\', '    ignored'])
})

it('a command is not divided within quotes', () => {
  const text = line`assay call get_metric '{"slug": "open findings"}' --home x`
  expect(layOut([command(text)], { ...plain, width: 24 })).toEqual([text])
  expect(layOut([command(text)], { ...plain, width: 34 })).toEqual([
    'assay call get_metric \\',
    `  '{"slug": "open findings"}' \\`,
    '  --home x',
  ])
})

describe('colour and links', () => {
  const painted = { width: 80, hasColor: true, hasLinks: true }

  it('are for severities and addresses', () => {
    const [, , first = ''] = layOut(
      [
        table(columns, [
          [
            cell.number(1),
            cell.status('CRITICAL'),
            linked(cell.name('Page'), 'https://wiki.example/a b'),
            cell.shown(line``),
          ],
        ]),
      ],
      painted,
    )
    expect(first).toBe(
      '1   \u001b[1m\u001b[31mCRITICAL\u001b[39m\u001b[22m  \u001b]8;;https://wiki.example/a%20b\u001b\\Page\u001b]8;;\u001b\\',
    )
    expect(
      layOut([{ text: line`a`, tone: 'bad', link: 'https://a.example' }], {
        ...painted,
        hasColor: false,
        hasLinks: false,
      }),
    ).toEqual(['a'])
  })

  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://user:secret@a.example/',
    'ssh://a.example',
    `https://a.example/${'x'.repeat(3_000)}`,
    'not an address',
  ])('%s is no link', (link) => {
    expect(layOut([{ text: line`a`, link }], painted)).toEqual(['a'])
  })

  it('an address cannot end its link', () => {
    for (const name of hostileNames(300, 5)) {
      const [shown = ''] = layOut([{ text: line`a`, link: `https://a.example/${name}` }], painted)
      if (shown === 'a') continue
      expect(shown.split('\u001b')).toEqual([
        '',
        expect.stringMatching(/^\]8;;https:\/\/a\.example\/[!-~]*$/),
        '\\a',
        ']8;;',
        '\\',
      ])
    }
  })

  it.each([
    [{}, true, 'auto', true],
    [{}, false, 'auto', false],
    [{ NO_COLOR: '1' }, true, 'auto', false],
    [{ NO_COLOR: '1' }, true, 'always', true],
    [{ TERM: 'dumb' }, true, 'auto', false],
    [{ FORCE_COLOR: '1' }, false, 'auto', true],
    [{ FORCE_COLOR: '0' }, true, 'auto', false],
    [{ FORCE_COLOR: '1' }, true, 'never', false],
    [{}, false, 'always', true],
  ] as const)('with %j, a terminal: %s, --color %s: %s', (env, isTTY, color, hasColor) => {
    const stream = { isTTY, columns: 100 } as Parameters<typeof describeScreen>[1]
    expect(describeScreen({ env, color }, stream)).toEqual({
      width: isTTY ? 100 : Number.POSITIVE_INFINITY,
      hasColor,
      hasLinks: isTTY && hasColor,
    })
  })
})

it('counts columns as the package does, for signs of the program beside any others', () => {
  const sign = fc.constantFrom(...'a1 ~·→…–—─‘’“”é人©', '👩‍👩‍👧', '\u0301', '\u200d', '\ufe0f', '\u20e3', '\u001b[1m')
  fc.assert(
    fc.property(fc.string({ unit: sign }), (text) => {
      expect(widthOf(text)).toBe(stringWidth(text))
    }),
  )
})

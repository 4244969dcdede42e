import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { validateFolder } from '../../src/definitions/apply.ts'
import { readFolder, toProblemLine } from '../../src/definitions/folder.ts'
import { anyText } from '../support/any-text.ts'
import { cases } from '../support/long.ts'

const RUNS = cases(200, 10_000)

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-files-'))
  for (const name of ['glossary', 'metrics', 'dashboards']) mkdirSync(join(folder, name))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (path: string, text: string | Uint8Array) => writeFileSync(join(folder, path), text)
const problems = () => validateFolder(readFolder(folder)).problems.map(toProblemLine)

const term = 'slug: a\ndisplayName: A\nfilterMapping:\n  severities: [HIGH]\n'
const metric = 'slug: m\ndisplayName: M\ntype: SIMPLE\ndefinition:\n  aggregation: COUNT\n  entity: finding\n'
const laughs = Array.from(
  { length: 9 },
  (_, index) => `x${index}: &x${index} [${Array(9).fill(index === 0 ? 'lol' : `*x${index - 1}`)}]`,
)

/** What no definition is: every case is refused, and its file and place are named. */
const refused: [string, string | Uint8Array, RegExp][] = [
  ['a bomb of aliases', `${laughs.join('\n')}\n${term}`, /a\.yaml:1:1: expands too much through aliases/],
  [
    'many aliases of one value',
    term.replace('[HIGH]', `[&h HIGH${', *h'.repeat(150)}]`),
    /a\.yaml:1:1: expands too much through aliases/,
  ],
  [
    'a bomb of merge keys',
    `a: &a {b: 1}\n<<: [*a, *a]\n${term}`,
    /a\.yaml:\d+:\d+: .*(not a known key|not valid YAML)/,
  ],
  ['a member __proto__', `${term}__proto__:\n  isActive: false\n`, /a\.yaml:5:1: contains a key named __proto__/],
  [
    'a deeply nested member __proto__',
    `${metric}  filters:\n    __proto__: {statuses: [OPEN]}\n`,
    /m\.yaml:8:5: contains a key named __proto__/,
  ],
  ['a quoted __proto__', `${term}"__proto__": {x: 1}\n`, /a\.yaml:5:1: contains a key named __proto__/],
  [
    'a flow __proto__',
    '{slug: a, displayName: A, filterMapping: {__proto__: {severities: [HIGH]}}}',
    /a\.yaml:1:\d+: contains a key named __proto__/,
  ],
  ['a member constructor', `${term}constructor:\n  prototype: {x: 1}\n`, /a\.yaml:5:1: constructor is not a known key/],
  ['a member toString', `${metric}toString: x\n`, /m\.yaml:7:1: toString is not a known key/],
  ['an unknown key', `${term}colour: '#fff'\n`, /a\.yaml:5:1: colour is not a known key/],
  [
    'an unknown key of a mapping',
    `${term}  severity: [LOW]\n`,
    /a\.yaml:5:3: filterMapping\.severity is not a known key/,
  ],
  ['the same key twice', `${term}slug: b\n`, /a\.yaml:5:1: is not valid YAML: .*unique/],
  ['two documents', `${term}---\n${term}`, /a\.yaml:\d+:\d+: is not valid YAML/],
  ['a tag that constructs an object', `${term}icon: !!js/function "x"\n`, /a\.yaml:5:\d+: is not valid YAML/],
  ['a tag of a set', `${term}icon: !!set {x}\n`, /a\.yaml:5:\d+: /],
  ['a key that is a list', `${term}? [a, b]\n: 1\n`, /a\.yaml:\d+:\d+: /],
  ['a number for a name', term.replace('slug: a', 'slug: 12'), /a\.yaml:1:1: slug must be a string/],
  ['a yes for a boolean', `${term}isActive: yes\n`, /a\.yaml:5:1: isActive must be a boolean/],
  ['an empty file', '', /a\.yaml:1:1: must be an object/],
  ['a list', `- ${term.replaceAll('\n', '\n  ')}`, /a\.yaml:1:1: must be an object/],
  ['text that is not YAML', 'a: [1, 2\nb: }', /a\.yaml:\d+:\d+: is not valid YAML/],
  ['bytes that are not text', new Uint8Array([0xff, 0xfe, 0x00, 0x80]), /a\.yaml:1:1: is larger than .* or not UTF-8/],
  ['a file of a megabyte', `${term}description: ${'x'.repeat(1_000_000)}\n`, /a\.yaml:1:1: is larger than/],
  ['deeply nested lists', `${term}icon: ${'['.repeat(100_000)}`, /a\.yaml:\d+:\d+: /],
  ['a name too long', term.replace('slug: a', `slug: ${'a'.repeat(101)}`), /a\.yaml:1:1: slug must be at most 100/],
  [
    'a formula that is code',
    'slug: m\ndisplayName: M\ntype: DERIVED\ndefinition:\n  formula: process.exit(1)\n  inputs: [open-findings]\n',
    /m\.yaml:5:3: definition\.formula/,
  ],
  ['an alias without an anchor', `${term}icon: *nothing\n`, /a\.yaml:5:\d+: is not valid YAML/],
  ['a directive of another YAML version', `%YAML 3.7\n---\n${term}`, /a\.yaml:1:7: is not valid YAML: Unsupported/],
  ['a tab for indentation', term.replace('  severities', '\tseverities'), /a\.yaml:\d+:\d+: is not valid YAML/],
  [
    'a metric placed twice',
    'name: d\nplacements:\n  - metricSlug: m\n  - metricSlug: m\n',
    /d\.yaml:4:5: placements\[1\] places m twice/,
  ],
  ['a dashboard without metrics', 'name: d\nplacements: []\n', /d\.yaml:2:1: placements must place at least one/],
]

describe('a file of definitions', () => {
  const paths = ['glossary/a.yaml', 'metrics/m.yaml', 'dashboards/d.yaml']
  it.each(refused)('is refused with its location: %s', (_, text, problem) => {
    write(paths.find((path) => path.endsWith(`${problem.source[0]}.yaml`)) ?? '', text)
    const found = problems()
    expect(found.length).toBeGreaterThan(0)
    expect(
      found.some((line) => problem.test(line)),
      found.join('\n'),
    ).toBe(true)
    expect(({} as Record<string, unknown>).isActive).toBeUndefined()
  })

  it('with arbitrary text is read or refused with its location', { timeout: RUNS * 1_000 }, () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...term.split(/(?<=[\s:[\]])/),
        ...metric.split(/(?<=[\s:])/),
        ...refused.map(([, , text]) => `${text}`).filter(({ length }) => length < 1_000),
      ),
      fc.constantFrom(
        '&a ',
        '*a',
        '<<: ',
        '!!binary ',
        '!!js/function ',
        '? ',
        '|\n',
        '>-\n ',
        '---\n',
        '%YAML 9\n',
        '\t',
        '"',
        "'",
        '{',
        '[',
      ),
      anyText({ maxLength: 20 }),
    )
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
    const file = fc.constantFrom('glossary/a.yaml', 'metrics/m.yaml', 'dashboards/d.yaml')
    fc.assert(
      fc.property(file, text, (path, content) => {
        write(path, content)
        const before = process.cpuUsage()
        for (const line of problems()) expect(line).toMatch(/^(?:glossary|metrics|dashboards)\/\w+\.ya?ml:\d+:\d+: \S/)
        const { user, system } = process.cpuUsage(before)
        rmSync(join(folder, path))
        expect((user + system) / 1_000).toBeLessThan(1_000)
        expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
      }),
      { seed: 7, numRuns: RUNS },
    )
  })

  it('may use anchors, comments and any YAML style', () => {
    write(
      'glossary/a.yaml',
      `# a\nslug: a\ndisplayName: "A"\nsynonyms: &names [x, 'y']\nfilterMapping: {containers: *names}\n`,
    )
    expect(problems()).toEqual([])
    expect(readFolder(folder).files[0]?.definition.members).toMatchObject({ filterMapping: { containers: ['x', 'y'] } })
  })

  it('must be unique: duplicates are reported with both locations', () => {
    write('glossary/a.yaml', term)
    write('glossary/b.yml', `# b\n${term}`)
    expect(problems()).toEqual([
      'glossary/b.yml:2:1: slug the term a is already defined in glossary/a.yaml:1; keep one of them.',
    ])
  })

  it('is found in its folder only; links and subfolders are ignored', () => {
    write('glossary/a.yaml', term)
    mkdirSync(join(folder, 'glossary', 'folder.yaml'))
    symlinkSync(join(folder, 'nowhere'), join(folder, 'glossary', 'dangling.yaml'))
    write('glossary/notes.txt', 'not a definition')
    write('other.yaml', 'not: one')
    expect(readFolder(folder).files.map(({ path }) => path)).toEqual(['glossary/a.yaml'])
  })
})

describe('a folder of definitions', () => {
  it('is validated without a database, and required outside definitions are listed', () => {
    write('metrics/m.yaml', `${metric}glossaryTermSlug: a\n`)
    write(
      'metrics/r.yaml',
      'slug: r\ndisplayName: R\ntype: TREND\ndefinition: {baseMetricSlug: out, currentWindow: 7d, compareWindow: 7d}\n',
    )
    const { files, problems, outside } = validateFolder(readFolder(folder))
    expect([files, problems]).toEqual([2, []])
    expect(outside.map(toProblemLine)).toEqual([
      'metrics/m.yaml:7:1: glossaryTermSlug the term a has no file here, so it must exist in the database.',
      'metrics/r.yaml:4:14: definition.baseMetricSlug the metric out has no file here, so it must exist in the database.',
    ])
  })

  it('reports all problems at once', () => {
    write('glossary/a.yaml', term.replace('HIGH', 'HIHG'))
    write('metrics/m.yaml', metric.replace('COUNT', 'CUONT').replace('slug: m', 'slug: M'))
    expect(problems()).toEqual([
      'glossary/a.yaml:4:16: filterMapping.severities[0] must be one of CRITICAL, HIGH, MEDIUM, LOW, INFO; did you mean HIGH?',
      'metrics/m.yaml:1:1: slug must be lower-case words joined by hyphens, such as open-findings.',
    ])
  })

  it('is reported when it does not exist', () => {
    expect(() => readFolder(join(folder, 'none'))).toThrow(/does not exist/)
  })
})

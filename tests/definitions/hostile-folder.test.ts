import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeExportFolder } from '../../src/definitions/export.ts'
import { readFolder, readFolderInTurns, toProblemLine } from '../../src/definitions/folder.ts'
import { readBase, writeBase } from '../../src/definitions/sync-state.ts'
import { errorOf, thrownBy } from '../support/context.ts'

const term = 'slug: a\ndisplayName: A\nfilterMapping:\n  severities: [HIGH]\n'

let root: string
let folder: string
let outside: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-hostile-'))
  folder = join(root, 'definitions')
  outside = join(root, 'outside')
  mkdirSync(join(folder, 'glossary'), { recursive: true })
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret.yaml'), term)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const read = () => {
  const { files, problems } = readFolder(folder)
  return { files: files.map(({ path }) => path), problems: problems.map(toProblemLine) }
}

describe('a link in a folder of definitions', () => {
  const leadsOut = /is a symbolic link to a file outside the folder/

  it.each<[string, () => void, string]>([
    [
      'a file',
      () => symlinkSync(join(outside, 'secret.yaml'), join(folder, 'glossary', 'a.yaml')),
      'glossary/a.yaml:1:1',
    ],
    [
      'a file through another link',
      () => {
        symlinkSync(outside, join(folder, 'out'))
        symlinkSync('../out/secret.yaml', join(folder, 'glossary', 'a.yaml'))
      },
      'glossary/a.yaml:1:1',
    ],
    ['a folder', () => symlinkSync(outside, join(folder, 'metrics')), 'metrics:1:1'],
  ])('is not followed out of it to %s', (_, link, place) => {
    link()
    const { files, problems } = read()
    expect([files, problems.length]).toEqual([[], 1])
    expect(problems[0]).toMatch(leadsOut)
    expect(problems[0]).toContain(place)
  })

  it('is followed inside it', () => {
    writeFileSync(join(folder, 'shared.txt'), term)
    symlinkSync('../shared.txt', join(folder, 'glossary', 'a.yaml'))
    expect(read()).toEqual({ files: ['glossary/a.yaml'], problems: [] })
  })

  it.each(['glossary', 'schemas'])('is never written through: %s', (name) => {
    rmSync(join(folder, name), { recursive: true, force: true })
    symlinkSync(outside, join(folder, name))
    expect(thrownBy(() => makeExportFolder(folder)).facts.reason).toBe('link_outside')
    expect(readdirSync(outside)).toEqual(['secret.yaml'])
  })

  it('in place of a schema is replaced, and its target is not changed', () => {
    mkdirSync(join(folder, 'schemas'))
    symlinkSync(join(outside, 'secret.yaml'), join(folder, 'schemas', 'metric.schema.json'))
    makeExportFolder(folder)
    expect(readFileSync(join(outside, 'secret.yaml'), 'utf8')).toBe(term)
  })

  it('in place of the sync state is neither read nor written through', () => {
    writeFileSync(join(outside, 'id.json'), '{}')
    symlinkSync(outside, join(folder, '.assay'))
    expect(thrownBy(() => readBase(folder, 'id')).facts.reason).toBe('link_outside')
    expect(thrownBy(() => writeBase(folder, 'id', new Map())).facts.reason).toBe('link_outside')
    expect(existsSync(join(outside, '.gitignore'))).toBe(false)
  })
})

it.skipIf(process.platform === 'win32')('a pipe among the definitions is refused immediately', () => {
  execFileSync('mkfifo', [join(folder, 'glossary', 'pipe.yaml')])
  expect(read().problems).toEqual(['glossary/pipe.yaml:1:1: is not a regular file; remove it.'])
})

const BYTES = 256 * 1024 - 20
const fill = (text: string) => text.repeat(Math.floor(BYTES / text.length))
const numbered = (toText: (index: number) => string, count: number) =>
  Array.from({ length: count }, (_, index) => toText(index))

describe('a file that is expensive to parse', () => {
  it.each<[string, string]>([
    ['lists in lists', fill('[')],
    ['maps in maps', fill('{a: ')],
    ['entries in entries', fill('- ')],
    ['keys in keys', fill('? ')],
    ['ever deeper indentation', numbered((depth) => `${' '.repeat(depth)}a:`, 700).join('\n')],
    ['many short keys', numbered((index) => `k${index}: 1`, 19_000).join('\n')],
    ['many keys on one line', `{${numbered((index) => index.toString(36), 40_000).join(',')}}`],
    ['one key many times', fill('a: 1\n')],
    ['aliases of one anchor', `a: &a x\nb: [${'*a,'.repeat(80_000)}]`],
    [
      'an anchor and an alias for each line',
      numbered((index) => `a${index}: &a${index} x\nb${index}: *a${index}`, 6_000).join('\n'),
    ],
    ['aliases without anchors', `b: [${numbered((index) => `*a${index}`, 30_000).join(',')}]`],
    ['merges', `a: &a {x: 1}\n${'<<: *a\n'.repeat(30_000)}`],
    ['unmatched closing brackets', fill('}')],
    ['unclosed quotes', fill('"\n')],
    ['comments', fill('#\n')],
    ['empty lines', fill('\n')],
    ['documents', fill('---\n')],
    ['tags', fill('!!foo x\n')],
    ['directives', fill('%YAML 1.2\n')],
  ])(
    'is refused within seconds: %s',
    (_, text) => {
      writeFileSync(join(folder, 'glossary', 'a.yaml'), text)
      const startedAt = performance.now()
      const { files, problems } = read()
      expect(files).toEqual([])
      expect(problems.length).toBeGreaterThan(0)
      expect(performance.now() - startedAt).toBeLessThan(10_000)
    },
    30_000,
  )

  it('long texts and a few aliases are accepted', () => {
    const text = `${term}description: >\n${'  word word word\n'.repeat(200)}`
    writeFileSync(join(folder, 'glossary', 'a.yaml'), text)
    writeFileSync(
      join(folder, 'glossary', 'b.yaml'),
      `slug: b\ndisplayName: &b "*b *c"\nsynonyms: [${Array(90).fill('*b')}]\nfilterMapping: {severities: [HIGH]}\n`,
    )
    expect(read()).toMatchObject({ files: expect.arrayContaining(['glossary/a.yaml']) })
    expect(read().problems.filter((problem) => /alias|nested|too large/.test(problem))).toEqual([])
  })
})

it('reading a folder stops when it is aborted', async () => {
  for (let index = 0; index < 30; index++) {
    writeFileSync(
      join(folder, 'glossary', `${index}.yaml`),
      `${term}# ${'word '.repeat(10_000)}\n${fill('#\n').slice(0, 40_000)}`,
    )
  }
  const stopping = new AbortController()
  setImmediate(() => stopping.abort())
  const startedAt = performance.now()
  expect((await errorOf(readFolderInTurns(folder, stopping.signal))).message).toContain('was cancelled')
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})

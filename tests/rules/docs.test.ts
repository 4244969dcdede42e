import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../src/sources/config.ts'
import { installedPlugins } from '../../src/sources/operations.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
]
const read = (page: string) => readFileSync(join(root, page), 'utf8')
const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '')

/** The anchor that a heading gets. */
const toAnchor = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
const anchorsOf = (page: string) =>
  [...withoutCode(read(page)).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => toAnchor(text))

describe.each(pages)('%s', (page) => {
  const text = read(page)

  it('names only existing files', () => {
    const named = [...text.matchAll(/`((?:src|tests|schemas|migrations|packaging|training|models|docs)\/[\w./-]*)`/g)]
    const missing = named.map(([, path = '']) => path).filter((path) => !existsSync(join(root, path)))
    expect(missing).toEqual([])
  })

  it('links only to existing files and headings', () => {
    const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
    const broken = links.filter((target) => {
      if (/^[a-z]+:/.test(target)) return false
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : relative(root, join(root, dirname(page), path))
      return !existsSync(join(root, file)) || (anchor !== undefined && !anchorsOf(file).includes(anchor))
    })
    expect(broken).toEqual([])
  })

  it('names only functions and types that the files beside them declare', () => {
    const pairs = text.matchAll(/`([A-Za-z]+)` in\s+`(src\/[\w./-]+\.ts)`/g)
    const missing = [...pairs].filter(([, name = '', path = '']) => {
      const declaration = new RegExp(`\\b(?:function\\*?|const|class|interface|type) ${name}\\b|^ {2,4}${name}:`, 'm')
      return !existsSync(join(root, path)) || !declaration.test(read(path))
    })
    expect(missing.map(([whole]) => whole)).toEqual([])
  })

  it('names only scripts of package.json', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const named = [...text.matchAll(/npm (?:run (?:--silent )?)([a-z][a-z:-]*)/g)].map(([, name = '']) => name)
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
  })
})

const isTooLong = (line: string) => line.length > 110 && !line.startsWith('|')

it.each(pages)('%s has no long lines, tables aside', (page) => {
  expect(read(page).split('\n').filter(isTooLong)).toEqual([])
})

it('docs/ is short', () => {
  const inDocs = pages.filter((page) => page.startsWith('docs/'))
  expect(inDocs.reduce((sum, page) => sum + Buffer.byteLength(read(page)), 0)).toBeLessThan(85_000)
})

it('README.md is short', () => {
  expect(Buffer.byteLength(read('README.md'))).toBeLessThan(9 * 1024)
})

it('README.md shows payloads that the server accepts', () => {
  const blocks = [...read('README.md').matchAll(/^```json\n([\s\S]*?)^```/gm)].map(
    ([, text = '']) => JSON.parse(text) as { config?: Record<string, unknown> },
  )
  const configs = blocks.flatMap(({ config }) => (config === undefined ? [] : [config]))
  expect(configs.map((config) => parseConfig(installedPlugins, config).payload)).toMatchObject([
    { type: 'WIKI' },
    { type: 'BI_PLATFORM' },
  ])
})

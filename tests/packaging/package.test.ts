import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules, SourceMap } from 'node:module'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { describe, expect, it } from 'vitest'
import { readPackage, toManifest } from '../../packaging/mcpb.ts'
import { operations } from '../../src/catalogue.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const pack = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
  mcpName: string
  bin: Record<string, string>
  man: unknown
  dependencies: Record<string, string>
}

/** What `npm pack` would put into the tarball. */
function listPacked(): { path: string; size: number }[] {
  const command = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline', '--loglevel=error']
  const [listed] = JSON.parse(execFileSync('npm', command, { cwd: root, encoding: 'utf8' })) as [
    { files: { path: string; size: number }[] },
  ]
  return listed.files
}

const packed = listPacked()
const paths = new Set(packed.map(({ path }) => path))
const listed = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.join(entry.parentPath.slice(root.length).replaceAll('\\', '/'), entry.name))

describe('the tarball', () => {
  it('contains every file that the program reads', () => {
    const workers = listed('src')
      .filter((path) => path.endsWith('.worker.ts'))
      .map((path) => path.replace(/^src\//, 'dist/').replace(/\.ts$/, '.js'))
    const needed = [
      ...[
        'package.json',
        'README.md',
        'CHANGELOG.md',
        'LICENSE',
        'mcp.config.example.json',
        'server.json',
        'dist/LICENSES.txt',
        pack.bin.assay,
      ],
      ...workers,
      ...listed('man'),
      ...listed('migrations'),
      ...listed('models'),
      ...listed('sample-company'),
      ...listed('docs').filter((path) => path.endsWith('.md')),
      ...listed('schemas'),
      ...['agent', 'admin', 'admin-agent'].flatMap((name) => [
        `dist/frames/${name}.json`,
        `dist/frames/${name}-read.json`,
      ]),
      'dist/console/index.html',
      'dist/view/answer.html',
    ]
    expect(workers.length).toBeGreaterThan(0)
    expect(needed.filter((path) => !paths.has(path ?? ''))).toEqual([])
  })

  it('names its manual page in a list, without which npm installs none', () => {
    expect(pack.man).toEqual(listed('man'))
  })

  it('contains nothing else', () => {
    const known =
      /^(?:package\.json|(?:README|CHANGELOG)\.md|LICENSE|mcp\.config\.example\.json|server\.json|schemas\/[a-z.-]+\.json|models\/[a-z-]+\.bin|sample-company\/(?:[a-z]+\.yaml|pages\/[\w-]+\.html)|docs\/[a-z-]+\.md|man\/assay\.1|migrations\/(?:postgres|sqlite)\/(?:\d{4}-[a-z0-9-]+\.sql|schemas\.json)|dist\/(?:main|[a-z/-]+\.worker|chunks\/[\w.-]+)\.js|dist\/frames\/[a-z-]+\.json|dist\/console\/(?:index\.html|console-[A-Z0-9]{8}\.(?:js|css)(?:\.gz)?)|dist\/view\/answer\.html|dist\/LICENSES\.txt)$/
    expect([...paths].filter((path) => !known.test(path))).toEqual([])
    expect(packed.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(9_700_000)
  })

  it('imports only installed dependencies and files that it contains', () => {
    const builtin = new Set(builtinModules)
    const wanted = [...paths]
      .filter((path) => path.endsWith('.js'))
      .flatMap((path) => {
        const text = readFileSync(join(root, path), 'utf8')
        const { staticImports, staticExports, dynamicImports } = parseSync(path, text).module
        return [
          ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
          ...staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
          ...dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
          ...[...text.matchAll(/\brequire\("([^"\n]+)"\)/g)].map(([, specifier = '']) => specifier),
        ].map((specifier) => ({ path, specifier }))
      })
    const missing = wanted.filter(({ path, specifier }) => {
      if (specifier.includes('${')) return false
      if (specifier.startsWith('.')) return !paths.has(posix.join(posix.dirname(path), specifier))
      if (specifier.startsWith('node:') || builtin.has(specifier.split('/')[0] ?? '')) return false
      const name = specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/')
      return pack.dependencies[name] === undefined
    })
    expect(wanted.length).toBeGreaterThan(50)
    expect(missing).toEqual([])
  })

  it('omits the source maps of the build', () => {
    expect([...paths].filter((path) => path.endsWith('.map'))).toEqual([])
    const map = new SourceMap(JSON.parse(readFileSync(join(root, 'dist', 'main.js.map'), 'utf8')))
    const lines = readFileSync(join(root, 'dist', 'main.js'), 'utf8').split('\n')
    const line = lines.findIndex((text) => text.includes('explainUnsupported(process'))
    const found = map.findEntry(line, lines[line]?.indexOf('explainUnsupported(process') ?? 0)
    expect('originalSource' in found ? found.originalSource : undefined).toBe('../src/main.ts')
  })

  it('has an executable command with a shebang line', () => {
    expect(readFileSync(join(root, pack.bin.assay ?? ''), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })
})

it('server.json agrees with package.json', () => {
  const server = JSON.parse(readFileSync(join(root, 'server.json'), 'utf8'))
  expect(server).toMatchObject({ name: pack.mcpName, version: pack.version, packages: [{ version: pack.version }] })
})

describe('the manifest of the bundle', () => {
  it('names every tool, and uses only settings that it asks for', () => {
    const manifest = toManifest(readPackage())
    expect(manifest.server.entry_point).toBe(pack.bin.assay)
    expect(manifest.tools.map(({ name }) => name).sort()).toEqual(
      operations
        .filter(({ toolset }) => toolset !== undefined)
        .map(({ name }) => name)
        .sort(),
    )
    const asked = [...JSON.stringify(manifest.server).matchAll(/\$\{user_config\.(\w+)\}/g)].map(([, name]) => name)
    expect(asked.sort()).toEqual(Object.keys(manifest.user_config).sort())
  })
})

describe('the Dockerfile', () => {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8')
  it('runs as an unprivileged user, has a health check, and copies the contents of the tarball', () => {
    const last = text.slice(text.lastIndexOf('\nFROM '))
    expect(last).toMatch(/^USER node$/m)
    expect(last).toMatch(/^HEALTHCHECK .*\\\n\s+CMD \["node", "-e"/m)
    expect(last).toContain(`io.modelcontextprotocol.server.name="${pack.mcpName}"`)
    expect(last).toContain(`ENTRYPOINT ["node", "/app/${pack.bin.assay}"]`)
    for (const part of ['package.json', 'node_modules', 'dist', 'migrations', 'models', 'sample-company', 'schemas']) {
      expect(last).toMatch(new RegExp(`^COPY --from=build /app/${part} `, 'm'))
    }
  })
})

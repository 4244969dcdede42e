import type { TestProjectConfiguration } from 'vitest/config'

/** Rooms whose tests leave nothing behind in their process, so that it loads their modules once for all of them. */
const sharing = [
  ...['access', 'catalogue', 'connectors', 'custom-detectors', 'dashboards', 'definitions', 'detectors', 'documents'],
  ...['engine', 'findings', 'glossary', 'http', 'kernel', 'matrix', 'mcp', 'mcp-install', 'metrics'],
  ...['operation', 'properties', 'query', 'rules', 'sample', 'schemas', 'support'],
]

/** Tests of these rooms that replace modules or clocks, measure memory, or open a vault, which remembers secrets. */
const alone = [
  'tests/access/token-watch.test.ts',
  'tests/access/tokens.test.ts',
  'tests/catalogue/lockdown-canary.test.ts',
  'tests/connectors/bi/options.test.ts',
  'tests/connectors/bi/revisit.test.ts',
  'tests/connectors/bi/stuck.test.ts',
  'tests/connectors/clock.test.ts',
  'tests/connectors/wiki/options.test.ts',
  'tests/documents/bombs.test.ts',
]

/** The tests of some rooms: those that need a process for each file, and those that share one. */
export function listProjects(rooms: readonly string[], left: readonly string[] = []): TestProjectConfiguration[] {
  const filesOf = (some: readonly string[]) => some.map((room) => `tests/${room}/**/*.test.ts`)
  const own = alone.filter((file) => rooms.includes(file.split('/')[1] ?? ''))
  return [
    {
      extends: true,
      test: {
        name: 'alone',
        include: [...filesOf(rooms.filter((room) => !sharing.includes(room))), ...own],
        exclude: [...left],
      },
    },
    {
      extends: true,
      test: {
        name: 'together',
        include: filesOf(rooms.filter((room) => sharing.includes(room))),
        exclude: [...alone, ...left],
        isolate: false,
        setupFiles: ['tests/support/one-process.ts'],
      },
    },
  ]
}

import { defineConfig } from 'vitest/config'
import { builtWorkers, listProjects, VaultsLast } from './vitest.projects.ts'

/** What runs in a minute and needs no build: for every change, before the whole suite. */
const rooms = [
  'custom-detectors',
  'dashboards',
  'detectors',
  'documents',
  'engine',
  'findings',
  'glossary',
  'kernel',
  'mcp-install',
  'metrics',
  'operation',
  'query',
  'rules',
  'schemas',
  'sources',
]

export default defineConfig({
  test: {
    // These look for slow patterns and unpack bombs, which takes longer than all the others.
    projects: listProjects(rooms, ['tests/detectors/patterns.test.ts', 'tests/documents/bombs.test.ts']),
    ...builtWorkers,
    sequence: { sequencer: VaultsLast },
    pool: 'forks',
    maxWorkers: 2,
    execArgv: ['--min-semi-space-size=32'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
  },
})

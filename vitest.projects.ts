import { fileURLToPath } from 'node:url'
import type { TestProjectConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { alone, vaultOrder } from './tests/support/test-order.ts'

/** Files that open vaults come last, so that no other one runs in a process that has remembered their secrets. */
export class VaultsLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const orderOf = ({ project, moduleId }: TestSpecification) => (project.name === 'alone' ? -1 : vaultOrder(moduleId))
    return (await super.sort(files)).sort((one, other) => orderOf(one) - orderOf(other))
  }
}

/** Worker threads run bundles, which start sooner than their sources. */
export const builtWorkers = {
  globalSetup: ['tests/support/built-workers.ts'],
  alias: [
    {
      find: /^.*\/source-worker\.ts$/,
      replacement: fileURLToPath(new URL('./tests/support/source-worker.ts', import.meta.url)),
    },
  ],
}

/** The tests of some rooms: those that need a process for each file, and those that share one. */
export function listProjects(rooms: readonly string[], left: readonly string[] = []): TestProjectConfiguration[] {
  const own = alone.filter((file) => rooms.includes(file.split('/')[1] ?? ''))
  return [
    {
      extends: true,
      test: { name: 'alone', include: own, exclude: [...left], setupFiles: ['tests/support/checked-endings.ts'] },
    },
    {
      extends: true,
      test: {
        name: 'together',
        include: rooms.map((room) => `tests/${room}/**/*.test.ts`),
        exclude: [...alone, ...left],
        isolate: false,
        setupFiles: ['tests/support/one-process.ts', 'tests/support/checked-endings.ts'],
      },
    },
  ]
}

/** Questions whose answers are known, once more where the database returns rows in reverse unless an order is stated. */
export const reversedProject: TestProjectConfiguration = {
  extends: true,
  test: {
    name: 'reversed',
    include: ['tests/golden/golden.test.ts', 'tests/query/*.test.ts'],
    isolate: false,
    setupFiles: ['tests/support/one-process.ts', 'tests/support/checked-endings.ts', 'tests/support/all-reversed.ts'],
  },
}

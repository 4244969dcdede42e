import { existsSync, globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** Files whose numbers of cases are larger in this form than in `npm test`. */
const withFullCounts = globSync('tests/**/*.test.ts').filter((file) =>
  [file, file.replace('.test.ts', '.ts')].some(
    (each) => existsSync(each) && readFileSync(each, 'utf8').includes("support/long.ts'"),
  ),
)

/** The same properties as in `npm test`, in their full counts; one file at a time. */
export default defineConfig({
  test: {
    include: ['tests/long/**/*.test.ts', ...withFullCounts],
    env: { ASSAY_LONG: '1' },
    setupFiles: ['tests/support/checked-endings.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 10_800_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 10_000 } },
    passWithNoTests: true,
  },
})

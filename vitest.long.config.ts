import { defineConfig } from 'vitest/config'

/** The same properties as in `npm test`, in their full counts; one file at a time. */
export default defineConfig({
  test: {
    include: ['tests/long/**/*.test.ts'],
    setupFiles: ['tests/support/checked-endings.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 10_800_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 10_000 } },
    passWithNoTests: true,
  },
})

import { readdirSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { listProjects } from './vitest.projects.ts'

const rooms = readdirSync(new URL('./tests', import.meta.url)).filter((room) => room !== 'long')

export default defineConfig({
  test: {
    projects: listProjects(rooms),
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
  },
})

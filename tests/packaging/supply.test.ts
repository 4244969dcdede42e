import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
const manifest = read('package.json')
const lock = read('package-lock.json') as {
  packages: Record<string, { integrity?: string; resolved?: string; link?: boolean }>
}

describe('what the package brings with it', () => {
  it('is at most 25 dependencies at run time, each at one exact version', () => {
    const versions = Object.values(manifest.dependencies as Record<string, string>)
    expect(versions.length).toBeLessThanOrEqual(25)
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([])
  })

  it('runs no script of its own when it is installed', () => {
    const scripts = Object.keys(manifest.scripts)
    expect(scripts.filter((name) => /^(?:pre|post)?(?:install|prepare)$/.test(name))).toEqual([])
  })

  it('is locked, every file with its hash', () => {
    const packages = Object.entries(lock.packages).filter(([path]) => path !== '')
    expect(packages.length).toBeGreaterThan(100)
    expect(packages.filter(([, { integrity, link }]) => link !== true && integrity === undefined)).toEqual([])
  })
})

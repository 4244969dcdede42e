import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
const manifest = read('package.json')
const lock = read('package-lock.json') as {
  packages: Record<string, { integrity?: string; resolved?: string; link?: boolean }>
}

describe('the dependencies of the package', () => {
  it('are at most 26 at run time, each with one exact version', () => {
    const versions = Object.values(manifest.dependencies as Record<string, string>)
    expect(versions.length).toBeLessThanOrEqual(26)
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([])
  })

  it('run no install scripts', () => {
    const scripts = Object.keys(manifest.scripts)
    expect(scripts.filter((name) => /^(?:pre|post)?(?:install|prepare)$/.test(name))).toEqual([])
  })

  it('are locked with a hash for every file', () => {
    const packages = Object.entries(lock.packages).filter(([path]) => path !== '')
    expect(packages.length).toBeGreaterThan(100)
    expect(packages.filter(([, { integrity, link }]) => link !== true && integrity === undefined)).toEqual([])
  })
})

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { explainUnsupported, findEndOfLine } from '../../src/runtime/supported-node.ts'

const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  engines: { node: string }
}

describe('supported versions of Node.js', () => {
  it.each(['22.21.0', '22.23.3', '24.5.0', '24.21.0', '26.0.0', '26.12.1', '27.0.0'])('include %s', (version) => {
    expect(explainUnsupported(version)).toBeUndefined()
  })

  it.each(['18.20.8', '20.20.2', '22.20.1', '23.11.1', '24.4.1', '25.9.0'])('exclude %s', (version) => {
    expect(explainUnsupported(version)).toMatch(
      /^Assay needs Node\.js 22\.21, 24\.5 or 26, or a later version of these lines; this is \d+\.\d+\.\d+\. /,
    )
  })

  it('are those that the package names', () => {
    expect(engines.node).toBe('^22.21.0 || ^24.5.0 || >=26.0.0')
    expect(findEndOfLine('24.21.0')).toBe('2028-04-30')
    expect(findEndOfLine('25.9.0')).toBeUndefined()
  })
})

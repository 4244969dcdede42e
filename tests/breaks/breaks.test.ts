import { readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { breaks, editsOf } from './list.ts'

describe('the list of deliberate breaks', () => {
  it('has at least 50, each with a name of its own', () => {
    expect(new Set(breaks.map(({ id }) => id)).size).toBe(breaks.length)
    expect(breaks.length).toBeGreaterThanOrEqual(50)
  })

  it.each(breaks)('$id changes what is there, and names a test that is there', (each) => {
    for (const { file, find, put } of editsOf(each)) {
      expect(readFileSync(file, 'utf8').split(find).length - 1, `${file}: ${find}`).toBe(1)
      expect(put).not.toBe(find)
    }
    const { file, title = '' } = each.test
    expect(statSync(file).isDirectory() || readFileSync(file, 'utf8').includes(title), `${file}: ${title}`).toBe(true)
  })
})

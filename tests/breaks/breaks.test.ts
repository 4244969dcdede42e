import { readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { replaceAll, replaceCall, replaceCondition, replaceOperand } from './break.ts'
import { breaks } from './list.ts'
import { applyEdits, locate } from './locate.ts'

describe('the list of deliberate breaks', () => {
  it('has 40 to 60 entries with unique ids', () => {
    expect(new Set(breaks.map(({ id }) => id)).size).toBe(breaks.length)
    expect(breaks.length).toBeGreaterThanOrEqual(40)
    expect(breaks.length).toBeLessThanOrEqual(60)
  })

  it.each(breaks)('$id finds exactly one place for each edit and names an existing test', ({ edits, test }) => {
    for (const edit of edits) {
      const text = readFileSync(edit.file, 'utf8')
      const { start, end, text: put } = locate(edit, text)
      expect(put).not.toBe(text.slice(start, end))
    }
    const { file, title = '' } = test
    expect(statSync(file).isDirectory() || readFileSync(file, 'utf8').includes(title), `${file}: ${title}`).toBe(true)
  })
})

describe('a place found by its names', () => {
  const at = (symbol: string) => ['sample.ts', symbol] as const
  const text = `export function work(list: string[], limit: number): string {
  const isLong = list.length > limit && list.every((each) => each !== '')
  if (isLong) throw new Error('too long')
  return list.join(', ')
}
`

  it('is the same however the file is formatted', () => {
    const spread = text.replaceAll('(', '(\n    ').replaceAll(' && ', '\n    && ')
    const edit = replaceOperand(at('work.isLong'), 'every', 'true')
    expect(applyEdits([edit], text)).toContain('list.length > limit && true\n')
    expect(applyEdits([edit], spread)).toContain('&& true\n')
  })

  it('may be a condition, a call or the whole result of a function', () => {
    expect(applyEdits([replaceCondition(at('work'), 'isLong', 'false')], text)).toContain('if (false) throw')
    expect(applyEdits([replaceCall(at('work'), 'join', '$0.join($1 + $1)')], text)).toContain("list.join(', ' + ', ')")
    expect(applyEdits([replaceAll(at('work'), "''")], text)).toContain("): string { return ('') }")
  })

  it.each([
    replaceCall(at('work'), 'split', ''),
    replaceAll(at('rest'), ''),
    replaceCall(at('work.isLong'), 'join', ''),
  ])('must exist: $symbol $part', (edit) => {
    expect(() => locate(edit, text)).toThrow('0 places match')
  })

  it('must be the only one', () => {
    expect(() => locate(replaceOperand(at('work'), 'list', 'true'), text)).toThrow('2 places match')
  })
})

import { describe, expect, it } from 'vitest'
import { toCsv, toCsvRecord } from '../../src/kernel/csv.ts'

describe('a CSV record', () => {
  const cases: [string, (string | number | null | undefined)[], string][] = [
    ['plain values', ['a', 1, 'true'], 'a,1,true'],
    ['nothing', [null, undefined, ''], ',,'],
    ['commas and quotes', ['a,b', 'say "x"'], '"a,b","say ""x"""'],
    ['line breaks', ['a\nb', 'c\r\nd'], '"a\nb","c\r\nd"'],
    ['formulas', ['=1+1', '+1', '-1', '@sum'], "'=1+1,'+1,'-1,'@sum"],
    ['a tab or return at the beginning', ['\tx', '\rx', '\nx'], '\'\tx,"\'\rx","\'\nx"'],
    ['a formula with a comma', ['=HYPERLINK("x",1)'], '"\'=HYPERLINK(""x"",1)"'],
    ['negative numbers', [-1, -0.5, 1e21], '-1,-0.5,1e+21'],
    ['operators within a text', ['a=b', '1-2', 'a; b=c', 'a,=b'], 'a=b,1-2,a; b=c,"a,=b"'],
    ['a formula after another separator', ['a;=cmd', 'a\t@x', ';;-1', -1], "a;'=cmd,a\t'@x,;;'-1,-1"],
    ['a formula after a line break', ['a\n=cmd\r\n+1'], '"a\n\'=cmd\r\n\'+1"'],
    ['a formula in quotes after another separator', ['a;"=cmd"', 'a;""=b'], '"a;""\'=cmd""","a;""""\'=b"'],
  ]
  it.each(cases)('is written correctly for %s', (_what, values, expected) => {
    expect(toCsvRecord(values)).toBe(`${expected}\r\n`)
    expect(toCsv([values])).toBe(`${expected}\r\n`)
  })

  it('keeps a boolean', () => expect(toCsvRecord([true])).toBe('true\r\n'))
})

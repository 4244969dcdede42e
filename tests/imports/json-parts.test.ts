import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type JsonPart, JsonPartsError, splitJson } from '../../src/imports/read/json-parts.ts'
import { isLong } from '../support/long.ts'

/** The text in pieces that end anywhere. */
async function* inPieces(text: string, sizes: readonly number[]): AsyncGenerator<string> {
  let from = 0
  for (let turn = 0; from < text.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    yield text.slice(from, from + size)
    from += size
  }
}

async function split(text: string, sizes: readonly number[] = [1]): Promise<JsonPart[]> {
  const parts: JsonPart[] = []
  for await (const part of splitJson(inPieces(text, sizes), ['runs', 'results'])) parts.push(part)
  return parts
}

/** What stands in the parts, put together from what was parsed whole. */
function expected(value: unknown): { level: number; value: unknown }[] {
  const isObject = (each: unknown): each is Record<string, unknown> =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
  const parts: { level: number; value: unknown }[] = []
  const take = (each: unknown, level: number): unknown => {
    const key = ['runs', 'results'][level]
    if (key === undefined || !isObject(each) || !Array.isArray(each[key])) return each
    for (const item of each[key] as unknown[]) parts.push({ level: level + 1, value: take(item, level + 1) })
    return { ...each, [key]: [] }
  }
  const whole = take(value, 0)
  return [...parts, { level: 0, value: whole }]
}

// No key is a backslash: after one, V8 13.6 (Node 24) parses the key `"` in the same place as that backslash.
const key = fc.constantFrom('runs', 'results', 'a', '"', 'r\u0075ns', '{', ']')
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.constantFrom(null, true, 0, -1.5e3, '', 'runs', '"],[{', '\\', '\u2028', '\uD800'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    fc.record({ runs: fc.array(fc.record({ results: fc.array(tie('value'), { maxLength: 4 }), tool: tie('value') })) }),
  ),
}))

describe('a JSON text in chunks', () => {
  it('is parsed like the whole text, for any chunk boundaries', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(json.value, sizes, fc.constantFrom(undefined, 2, '\t'), async (value, pieces, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        const parts = (await split(text, pieces)).map((part) => ({ level: part.level, value: JSON.parse(part.text) }))
        expect(parts).toEqual(expected(JSON.parse(text)))
      }),
      { numRuns: isLong ? 500 : 150 },
    )
  })

  it('may have keys with escapes', async () => {
    const parts = await split('{"r\\u0075ns": [{"results": [1 , 2]}]}')
    expect(parts.map(({ level, text }) => [level, text.replaceAll(' ', '')])).toEqual([
      [2, '1'],
      [2, '2'],
      [1, '{"results":[]}'],
      [0, '{"r\\u0075ns":[]}'],
    ])
  })

  it.each([
    '{"runs":[1,]}',
    '{"runs":[,1]}',
    '{"runs":[1,,2]}',
    '{"runs":[',
    '{"runs":[}',
    '{"a',
    ']',
    '{"runs":[1]]}',
  ])('is refused: %s', async (text) => {
    const reason = await split(text)
      .then(
        (parts) => parts.map((part) => JSON.parse(part.text)),
        (error: unknown) => error,
      )
      .catch((error: unknown) => error)
    expect(reason instanceof JsonPartsError || reason instanceof SyntaxError).toBe(true)
  })
})

import fc from 'fast-check'
import { anyText } from '../support/any-text.ts'

type Input = Record<string, unknown>

/** Texts that have broken programs of this kind, or that mean something to a language they may end up in. */
const hostileTexts = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  'a\udfff\u202eb',
  '\u{e0041}\u200b',
  '%',
  '%00',
  '%2e%2e%2f',
  '../../etc/hosts',
  '{slug}',
  '__proto__',
  'constructor',
  'toString',
  'NaN',
  '-Infinity',
  '1e999',
  '0x10',
  '١٢',
  "' OR 1=1 --",
  '"; DROP TABLE metric; --',
  '%_%',
  '"unclosed',
  'a AND (',
  'NEAR(a b, 5) OR *',
  'display_name : x*',
  '^"-',
  '2026-02-30',
  '2026-13-01T25:61:61Z',
  '-000001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '9999-12-31T23:59:59.999+23:59',
  '2016-12-31T23:59:60Z',
  '0000-01-01',
  'Europe/Atlantis',
  'Etc/GMT+99',
  '[',
  '{"severities":["HIGH"]}',
  '["severity"',
  '[[[[[[',
  'null',
  'undefined',
  'open_findings / (new_findings - new_findings)',
  '((((((((((1))))))))))',
  '<script>alert(1)</script>',
  'ﬁ\u0301İı',
  '\ufeff',
]

/** `depth` lists, one in another. */
export function nest(depth: number): unknown {
  let value: unknown = 'in the middle'
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

const hostile: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 2, arbitrary: fc.constantFrom(null, -0, -1, 0.5, 2 ** 53, 1e308, 5e-324, [], {}, [null], [[]], true) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: anyText({ maxLength: 30 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('x', '(', '"', '{', '-', 'é ', '1', '%'), fc.constantFrom(101, 5000, 200_000))
      .map(([text, times]) => text.repeat(times)),
  },
  { weight: 1, arbitrary: fc.constantFrom(20, 60, 70, 200).map(nest) },
  { weight: 1, arbitrary: fc.constantFrom(501, 20_000).map((length) => Array(length).fill('severity')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(
      JSON.parse('{"__proto__": {"polluted": true}}'),
      JSON.parse('{"constructor": {"prototype": {"polluted": true}}}'),
      { toString: 1, valueOf: null },
      { length: 3 },
    ),
  },
)

const strangeKeys = ['__proto__', 'constructor', 'hasOwnProperty', '', 'a.b', 'slug\u0000', 'Slug', 'metric', 'filter']

type Change = (input: Input) => void

/** Puts one member of an input, at any depth, out of joint: changed, removed, or another one added. */
const change: fc.Arbitrary<Change> = fc
  .tuple(
    fc.array(fc.nat(8), { minLength: 1, maxLength: 4 }),
    fc.constantFrom('change', 'change', 'change', 'remove', 'add', 'wrap'),
    fc.constantFrom(...strangeKeys),
    hostile,
  )
  .map(([path, how, strangeKey, junk]) => (input) => {
    let node: Input = input
    for (const step of path.slice(1)) {
      const keys = Object.keys(node)
      const next = node[keys[step % Math.max(1, keys.length)] ?? '']
      if (typeof next !== 'object' || next === null) break
      node = next as Input
    }
    const keys = Object.keys(node)
    const key = keys[(path[0] ?? 0) % Math.max(1, keys.length)]
    if (how === 'add' || key === undefined) define(node, Array.isArray(node) ? String(keys.length) : strangeKey, junk)
    else if (how === 'remove') delete node[key]
    else define(node, key, how === 'wrap' ? [node[key]] : junk)
  })

const isLeaf = (value: unknown) => typeof value !== 'object' || value === null

/** Long lists of texts are copied without being looked into. */
function copyOf(value: unknown): unknown {
  if (isLeaf(value)) return value
  return Array.isArray(value) && value.every(isLeaf) ? [...value] : structuredClone(value)
}

/** Sets a member of its own to a copy, whatever it is called. */
function define(node: Input, key: string, value: unknown): void {
  Object.defineProperty(node, key, {
    value: copyOf(value),
    enumerable: true,
    configurable: true,
    writable: true,
  })
}

/** JSON of valid inputs with one or two members spoiled, and of objects that were never meant for anything. */
export function junkFor(valid: readonly Input[]): fc.Arbitrary<string> {
  const spoiled = fc
    .tuple(fc.constantFrom(...valid), fc.array(change, { minLength: 1, maxLength: 2 }))
    .map(([input, changes]) => {
      const copy = structuredClone(input)
      for (const spoil of changes) spoil(copy)
      return copy
    })
  const keys = [...new Set(valid.flatMap((input) => Object.keys(input))), ...strangeKeys]
  const strange = fc.array(fc.tuple(fc.constantFrom(...keys), hostile), { maxLength: 4 }).map((members) => {
    const input: Input = {}
    for (const [key, value] of members) define(input, key, value)
    return input
  })
  return fc
    .oneof({ weight: 4, arbitrary: spoiled }, { weight: 1, arbitrary: strange })
    .map((input) => JSON.stringify(input))
}

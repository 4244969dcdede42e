import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Expression, parseSync, type SpreadElement, Visitor } from 'oxc-parser'
import { describe, expect, it } from 'vitest'

/** Who may speak to the network, and with what. Everything else goes through these. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'src/connectors/http/exchange.ts': ['got'],
  'src/connectors/http/agents.ts': ['node:http', 'node:https', 'node:tls'],
  // It only takes lists of addresses from the module.
  'src/connectors/http/proxy.ts': ['node:net'],
  'src/connectors/links/guard.ts': ['node:http', 'node:https', 'node:dns/promises', 'request-filtering-agent'],
  'src/http/listen.ts': ['node:http', 'node:net', '@hono/node-server'],
  // It only takes a class of replies from the package.
  'src/cli/commands/dashboard.ts': ['node:http'],
  'src/commands/browse.ts': ['node:child_process'],
  // It asks the server of the same user on the same data folder.
  'src/background/served-answers.ts': ['node:http'],
  'src/store/postgres/connection.worker.ts': ['pg'],
  'src/store/postgres/pipeline.ts': ['pg'],
  'src/doctor/machine.ts': ['node:dns/promises', 'node:net'],
  'src/sample/listener.ts': ['node:http'],
  // The person's own pager.
  'src/cli/output/pager.ts': ['node:child_process'],
  // It runs in the browser, whose policy lets it ask this server only.
  'src/console/client.ts': ['fetch'],
}
const network =
  /^(?:node:)?(?:http|https|http2|net|tls|dgram|dns|dns\/promises|child_process|inspector|cluster)$|^(?:got|pg|undici|ws|axios|node-fetch|request-filtering-agent|@hono\/node-server)$/
const globals = new Set(['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'])

/** What a text with a use contains, or an escape that could hide it; other texts need no parsing. */
const hints = new RegExp(
  [
    String.raw`\\[ux]`,
    String.raw`\b(?:${[...globals].join('|')})\b`,
    String.raw`\bimport\s*[(/]`,
    String.raw`require\s*[(?<!/]`,
    String.raw`['"\`](?:${network.source.replaceAll(/[$^]/g, '')})['"\`]`,
  ].join('|'),
)

interface Use {
  file: string
  what: string
}

/** Modules that are imported for more than their types, and globals that are named, in a text. */
function findUses(file: string, text: string): Use[] {
  const uses: Use[] = []
  if (!hints.test(text)) return uses
  const add = (what: string) => uses.push({ file, what })
  const { program, module } = parseSync(file, text)
  for (const { moduleRequest, entries } of module.staticImports) {
    const typesOnly = entries.length > 0 && entries.every(({ isType }) => isType)
    if (network.test(moduleRequest.value) && !typesOnly) add(moduleRequest.value)
  }
  const load = (argument: Expression | SpreadElement | undefined) => {
    const name =
      argument?.type === 'Literal'
        ? argument.value
        : argument?.type === 'TemplateLiteral' && argument.expressions.length === 0
          ? argument.quasis[0]?.value.cooked
          : undefined
    if (typeof name !== 'string') add('a module that is named at run time')
    else if (network.test(name)) add(name)
  }
  const keys = new Set<unknown>()
  new Visitor({
    ImportExpression: ({ source }) => load(source),
    CallExpression({ callee, arguments: given }) {
      if (text.slice(callee.start, callee.end).endsWith('require') && given.length > 0) load(given[0])
    },
    MemberExpression({ object, property, computed }) {
      const isGlobal = object.type === 'Identifier' && /^(?:globalThis|window|self|global)$/.test(object.name)
      if (!computed && !isGlobal) keys.add(property)
    },
    Property({ key, computed, shorthand }) {
      if (!computed && !shorthand) keys.add(key)
    },
    TSPropertySignature: ({ key }) => keys.add(key),
    Identifier(node) {
      if (globals.has(node.name) && !keys.has(node)) add(node.name)
    },
  }).visit(program)
  return uses
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => join('src', file))

describe('requests to other machines', () => {
  it('are sent only by the modules listed here', () => {
    const uses = files.flatMap((file) => findUses(file, readFileSync(file, 'utf8')))
    expect(uses.length).toBeGreaterThan(5)
    expect(uses.filter(({ file, what }) => !(allowed[file] ?? []).includes(what))).toEqual([])
  })

  it('are sent by a single function, with got', () => {
    const sending = files.filter((file) => /\bgot(?:\.stream)?\(/.test(readFileSync(file, 'utf8')))
    expect(sending).toEqual(['src/connectors/http/exchange.ts'])
  })

  it('go through the guard if their address was found in content', () => {
    const callers = files.filter((file) => /\bawait exchange\(/.test(readFileSync(file, 'utf8')))
    const known = ['src/access/issuer-keys.ts', 'src/connectors/http/transport.ts', 'src/connectors/links/guard.ts']
    expect(callers.sort()).toEqual(known)
  })

  it.each([
    ["import { get } from 'https'", 'https'],
    ["import got from 'got'", 'got'],
    ["const x = await import('node:net')", 'node:net'],
    ["await fetch('http://x')", 'fetch'],
    ["globalThis.fetch('http://x')", 'fetch'],
    ['const f = fetch', 'fetch'],
    ["new WebSocket('ws://x')", 'WebSocket'],
    ["require('child_process')", 'child_process'],
    ['await import(name)', 'a module that is named at run time'],
  ])('are detected: %s', (text, what) => {
    expect(findUses('x.ts', text).map((use) => use.what)).toEqual([what])
  })

  it.each(["import type { Agent } from 'node:http'", 'app.fetch(request)', 'const options = { fetch: app.fetch }'])(
    'are not detected where there are none: %s',
    (text) => {
      expect(findUses('x.ts', text)).toEqual([])
    },
  )
})

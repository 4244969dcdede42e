import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { removeMember, setMember } from '../../src/mcp-install/jsonc.ts'
import { removeTable, setTable } from '../../src/mcp-install/toml.ts'

const entry = { command: '/usr/bin/node', args: ['/opt/assay/main.js', 'mcp'] }
const set = (text: string) => setMember(text, 'mcpServers', 'assay', entry)
const remove = (text: string) => removeMember(text, 'mcpServers', 'assay')
const withoutComments = (text: string) =>
  text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\//g, '$1').replace(/,(\s*[}\]])/g, '$1')

const texts = [
  '{}',
  '{\n}\n',
  '{"mcpServers":{}}',
  '{\n  "mcpServers": {\n    "other": { "command": "x" }\n  }\n}\n',
  '{\n\t"mcpServers": {\n\t\t"other": { "command": "x" }, // keep me\n\t},\n\t"z": [1, {"a": null}],\n}\n',
  '// top\n{\n  /* a } brace */ "theme": "dark, // not a comment",\n  "mcpServers": {\n    // nothing yet\n  }\n}\n',
  '{ // c\n"mcpServers": { // d\n"a": 1 // e\n, // f\n } }',
  '{"mcpServers":{"a":{"command":"\\"}{"},"b":{}},"n":-1.5e3}',
]

describe('an entry in JSON with comments', () => {
  it.each(texts)('is added to %j without another change', (text) => {
    const after = set(text)
    const before = JSON.parse(withoutComments(text)) as { mcpServers?: object }
    expect(JSON.parse(withoutComments(after))).toEqual({
      ...before,
      mcpServers: { ...before.mcpServers, assay: entry },
    })
    for (const comment of text.match(/\/\/ [a-z ]+$|\/\* .*? \*\//gm) ?? []) expect(after).toContain(comment)
    expect(set(after)).toBe(after)
  })

  it.each(texts.filter((text) => text.includes('mcpServers')))('is removed from %j again', (text) => {
    const after = remove(set(text))
    expect(JSON.parse(withoutComments(after))).toEqual(JSON.parse(withoutComments(text)))
    for (const comment of text.match(/\/\/ [a-z ]+$|\/\* .*? \*\//gm) ?? []) expect(after).toContain(comment)
    expect(remove(after)).toBe(after)
  })

  it('leaves the comment of the next entry when it is removed', () => {
    const text = '{"mcpServers": {\n  // one\n  "assay": {},\n  // two\n  "b": {}\n}}'
    expect(remove(text)).toBe('{"mcpServers": {\n  // one\n  // two\n  "b": {}\n}}')
  })

  it('creates a missing file', () => {
    expect(JSON.parse(set(''))).toEqual({ mcpServers: { assay: entry } })
  })

  it('replaces an entry of another kind', () => {
    const after = set('{"mcpServers": {"assay": {"url": "http://127.0.0.1:7411/mcp"}, "b": 1}}')
    expect(JSON.parse(after)).toEqual({ mcpServers: { assay: entry, b: 1 } })
  })

  it('changes the command of an entry, and keeps what the person added to it', () => {
    const text =
      '{"mcpServers": {\n  "assay": {\n    // old one\n    "command": "old", // mine\n    "env": { "A": "1" } // why\n  }\n}}'
    const { command, args } = entry
    expect(set(text)).toBe(
      `{"mcpServers": {\n  "assay": {\n    // old one\n    "command": "${command}", // mine\n    "env": { "A": "1" }, // why\n    "args": ${JSON.stringify(args, null, 2).replaceAll('\n', '\n    ')}\n  }\n}}`,
    )
  })

  it.each([
    ['{"mcpServers": {\n  "a": 1 // e\n}}', '{"mcpServers": {\n  "a": 1, // e\n  "assay": ENTRY\n}}'],
    ['{"mcpServers": {\n  "a": 1, /* e */ // f\n}}', '{"mcpServers": {\n  "a": 1, /* e */ // f\n  "assay": ENTRY,\n}}'],
    ['{"mcpServers": {\r\n  "a": 1 // e\r\n}}', '{"mcpServers": {\r\n  "a": 1, // e\r\n  "assay": ENTRY\r\n}}'],
    ['\ufeff{"mcpServers": {\n  // none\n}}', '\ufeff{"mcpServers": {\n  // none\n  "assay": ENTRY\n}}'],
  ])('keeps each comment of %j beside its subject', (text, wanted) => {
    const lineEnd = text.includes('\r') ? '\r\n' : '\n'
    const written = JSON.stringify(entry, null, 2).replaceAll('\n', `${lineEnd}  `)
    expect(set(text)).toBe(wanted.replace('ENTRY', written))
    expect(remove(set(text)).replace('1,', '1')).toBe(text.replace('1,', '1'))
  })

  it.each([
    ['{"mcpServers": {\n  "a": 1, // a\n  "assay": {} // mine\n}}', '{"mcpServers": {\n  "a": 1 // a\n   // mine\n}}'],
    ['{"mcpServers": {\n  "assay": {}, // mine\n  "a": 1\n}}', '{"mcpServers": {\n   // mine\n  "a": 1\n}}'],
    ['{"mcpServers": {"a": 1, "assay": {}}}', '{"mcpServers": {"a": 1 }}'],
  ])('leaves every comment of %j on its line when it is removed', (text, wanted) => {
    expect(remove(text)).toBe(wanted)
  })

  it.each(['{', '[]', '{"mcpServers": 1}', '{"a": }', '{} {}', '{"a" 1}', 'nothing'])('does not change %j', (text) => {
    expect(() => set(text)).toThrow(/^It/)
  })

  it('leaves every other member, regardless of its value', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue())
    fc.assert(
      fc.property(object, object, fc.constantFrom(undefined, 1, 2, '\t'), (rest, servers, space) => {
        const { assay: _gone, ...others } = servers as Record<string, unknown>
        const text = JSON.stringify({ ...rest, mcpServers: others }, null, space)
        expect(JSON.parse(set(text))).toEqual({
          ...JSON.parse(text),
          mcpServers: { ...JSON.parse(text).mcpServers, assay: entry },
        })
        expect(JSON.parse(remove(set(text)))).toEqual(JSON.parse(text))
      }),
    )
  })
})

describe('an entry in TOML', () => {
  const table = ['mcp_servers', 'assay']
  const written = '[mcp_servers.assay]\ncommand = "/usr/bin/node"\nargs = ["/opt/assay/main.js", "mcp"]\n'
  const texts = [
    '',
    'model = "x" # mine\n',
    '[mcp_servers.other]\ncommand = "y"\n\n# about profiles\n[profiles.a]\nb = 1\n',
  ]

  it.each(texts)('is added after %j and removed again', (text) => {
    const after = setTable(text, table, entry)
    expect(after.startsWith(text)).toBe(true)
    expect(after.endsWith(written)).toBe(true)
    expect(setTable(after, table, entry)).toBe(after)
    expect(removeTable(after, table)).toBe(text)
  })

  const values = [
    'a = "b \\" c" # d',
    "a = 'C:\\no\\escape'",
    'a = """\n[mcp_servers.assay]\n"quoted"\n"""',
    "a = '''\n# [x\n'''",
    'a.b."c d" = [1, 2_000, -3.5e6, inf, # ends\n  0xff, [true, "x"],\n]',
    'a = { b = 1, c = { d = [] } }',
    'a = 1979-05-27T07:32:00Z\nb = 1979-05-27 07:32:00.5\nc = 07:32:00\nd = 1979-05-27',
    '[[a.b]]\nc = 1\r\n[[a.b]]\n\n[ mcp_servers . "other" ]\ncommand = \'x\'',
  ]

  it.each(values)('is added after the value %j', (text) => {
    expect(setTable(text, table, entry)).toBe(`${text}\n\n${written}`)
    expect(removeTable(setTable(text, table, entry), table)).toBe(`${text}\n`)
  })

  it.each([
    'a = ',
    'a = "b',
    'a = "b\nc"',
    'a b = 1',
    'a = [1, 2',
    'a = {b = 1',
    '[a',
    '[a]]',
    '[a] b = 1',
    'a = """b',
    'a = nothing',
    '= 1',
    'a = 1 b = 2',
    '{"mcpServers": {}}',
  ])('is not added to invalid %j', (text) => {
    expect(() => setTable(text, table, entry)).toThrow(/^It is not valid TOML at line \d\./)
  })

  it.each([
    '[mcp_servers]\nassay = { command = "x" }\n',
    'mcp_servers.assay.command = "x"\n',
    '[mcp_servers.assay]\ncommand = "x"\n[a]\n[mcp_servers.assay.env]\nA = "1"\n',
  ])('is not added when it is already written as %j', (text) => {
    expect(() => setTable(text, table, entry)).toThrow('Its server assay is not written as one table')
  })

  it('is changed in its table, where other keys are kept', () => {
    const text = `# top\n[a]\nb = 1\n\n[mcp_servers.assay] # mine\n# the program\ncommand = "old" # why\n[mcp_servers.assay.env]\nA = "1"\n\n# next\n[c]\nd = 2\n`
    expect(setTable(text, table, entry)).toBe(
      `# top\n[a]\nb = 1\n\n[mcp_servers.assay] # mine\nargs = ["/opt/assay/main.js", "mcp"]\n# the program\ncommand = "/usr/bin/node" # why\n[mcp_servers.assay.env]\nA = "1"\n\n# next\n[c]\nd = 2\n`,
    )
    expect(removeTable(text, table)).toBe('# top\n[a]\nb = 1\n\n\n# next\n[c]\nd = 2\n')
  })

  it('leaves every comment where it is', () => {
    const text =
      '# top\n\n# about the model\nmodel = "x" # mine\n\n# the server\n[mcp_servers.assay] # ours\ncommand = "old" # why\nargs = [] # none yet\n# end\n\n[a] # next\nb = [ # list\n  1, # one\n]\n# last'
    const commentsOf = (written: string) =>
      written.split('\n').flatMap((row, at) => (row.includes('#') ? [[at, row.slice(row.indexOf('#'))]] : []))
    const after = setTable(text, table, entry)
    expect(after).not.toBe(text)
    expect(commentsOf(after)).toEqual(commentsOf(text))
    const removed = removeTable(after, table)
    for (const comment of [
      '# top',
      '# about the model',
      '# mine',
      '# the server',
      '# next',
      '# list',
      '# one',
      '# last',
    ])
      expect(removed).toContain(comment)
  })

  it('keeps the line ends of its file', () => {
    expect(setTable('[a]\r\nb = 1\r\n', table, entry)).toBe(`[a]\r\nb = 1\r\n\r\n${written.replaceAll('\n', '\r\n')}`)
    expect(setTable('[mcp_servers.assay]', table, entry)).toBe(written)
  })
})

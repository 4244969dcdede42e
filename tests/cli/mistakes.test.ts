import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { defaultHome } from '../../src/config.ts'
import { importFindings, type OpenCommandLine, openLastingCommandLine, wikiOptions as wiki } from './command-line.ts'

const nowhere = '/nowhere/at/all'

/** The command line, standard input if it is read, the exit code, and what the sentence says. */
const mistakes: [argv: string[], code: 1 | 2, says: RegExp, stdin?: string][] = [
  [['sorces'], 2, /unknown command 'sorces' \(Did you mean sources\?\)/],
  [['sources', 'ad'], 2, /unknown command 'sources ad' \(Did you mean add\?\); see `assay sources --help`/],
  [['findings', '--severites', 'HIGH'], 2, /unknown option '--severites' \(Did you mean --severities\?\)/],
  [
    ['init', 'hunter2', 'x: y\nz'],
    2,
    /too many arguments for 'init'. Expected 0 arguments but got 2; see `assay init --help`/,
  ],
  [['scan', 'x', 'secret token=abc got 7: hunter2'], 2, /Expected 1 argument but got 2; see `assay scan --help`/],
  [['query'], 2, /missing required argument 'metric'; see `assay query --help`/],
  [['query', 'open-findngs'], 1, /No metric is called 'open-findngs'\. Did you mean open-findings/],
  [['query', 'open-findings', '--by', 'colour'], 1, /colour/],
  [['query', 'open-findings', '--term', 'no-such-term'], 1, /No term is called 'no-such-term'/],
  [['query', 'open-findings', '--term', 'secrets'], 1, /use it as --detector-types SECRETS\./],
  [['approve', '77'], 1, /There is no proposal '77'; `assay proposals --home \S+` shows them/],
  [['query', 'open-findings', '--from', '31.01.2026'], 1, /2026-/],
  [['query', 'open-findings', '--from', '2026-02-30'], 1, /2026-02-30|ISO 8601/],
  [['query', 'new-findings', '--from', '2026-03-01', '--to', '2026-01-01'], 1, /after|before/],
  [['query', 'open-findings', '--time-zone', 'Mars/Base'], 1, /time zone/],
  [['query', 'open-findings', '--filters', '{severities:["HIGH"]}'], 2, /line 1, column 2/],
  [['query', 'open-findings', '--limit', 'many'], 2, /whole number from 1 to 1000/],
  [['query', 'open-findings', '--severities', 'SEVERE'], 1, /--severities must be one of CRITICAL/],
  [['findings', '--limit', '0'], 2, /whole number from 1 to 500/],
  [['findings', '999999'], 1, /no finding '999999'/i],
  [['findings', '--cursor', 'zzz'], 1, /cursor/],
  [['findings', '--age-hours', 'soon'], 2, /such as \.\.48/],
  [['findings', '--format', 'xlsx'], 2, /Allowed choices are table/],
  [['findings', '--sources', 'no-such-source'], 1, /no-such-source/],
  [['triage', '1'], 2, /'--as <status>' not specified/],
  [['triage', '1', '--as', 'done'], 2, /Allowed choices are false-positive/],
  [['triage', '--severities', 'HIGH', '--as', 'ignored', '--yes'], 2, /--as ignored needs a reason/],
  [['undo', '--yes'], 1, /no triage to undo/],
  [['scan', 'no-such-source'], 1, /no source 'no-such-source'/i],
  [['sources', 'test', 'no-such-source'], 1, /no source 'no-such-source'/i],
  [['sources', 'add', 'w', '--type', 'jira'], 2, /--type must be WIKI or BI_PLATFORM/],
  [['sources', 'add', 'w', ...wiki.with(1, 'example.com')], 1, /--base-url must be/],
  [['sources', 'add', 'w', ...wiki.with(1, 'http://example.com')], 1, /--base-url must be the https address/],
  [['sources', 'add', 'w', ...wiki.with(3, 'me')], 1, /--account-email must be an email address/],
  [['sources', 'add', 'w', ...wiki.with(5, 'NO_TOKEN')], 1, /'NO_TOKEN' of --secret-env is not set/],
  [
    ['sources', 'add', 'w', ...wiki.with(5, 'no token!')],
    2,
    /^assay: --secret-env takes the name of an environment variable(?!.*no token)/,
  ],
  [['sources', 'add', 'w', ...wiki, '--schedule', 'fortnightly'], 1, /--schedule must be one of hourly/],
  [['sources', 'add', 'w', ...wiki, '--schedule', '99 * * * *'], 1, /--schedule is not a cron expression/],
  [
    ['sources', 'add', 'w', ...wiki, '--schedule', 'daily', '--time-zone', 'No/Where'],
    1,
    /--time-zone is not a time zone/,
  ],
  [['sources', 'add', 'w', ...wiki, '--detectors', 'SECRET'], 2, /SECRET is not a detector; choose from/],
  [['import', nowhere, '--source', 's'], 1, /cannot be read; check its name/],
  [['import', '-', '--source', 's'], 1, /line 1/i, 'not json\n'],
  [['terms', 'create', 'Bad Slug', '--severities', 'HIGH'], 1, /The name must be lower-case words/],
  [['terms', 'create', 'pii-exposure', '--severities', 'HIGH'], 1, /already exists/],
  [['metrics', 'create', 'open-findings'], 1, /already exists/],
  [['metrics', 'create', 'm', '--formula', 'open_findings +'], 1, /--formula at position 16/],
  [['metrics', 'create', 'm', '--field', 'colour', '--aggregation', 'sum'], 1, /--field must be one of/],
  [['watch', 'create', 'w', '--metric', 'open-findings'], 2, /Give one of --above/],
  [['watch', 'create', 'w', '--metric', 'no-metric', '--above', '3'], 1, /No metric is called 'no-metric'/],
  [['token', 'create', '--scope', 'root'], 2, /Scopes are read/],
  [['token', 'revoke', 'nope'], 1, /no such token; `assay token list --home \S+`/],
  [['serve', '--port', '70000'], 2, /0 to 65535/],
  [['restore', 'NOTES'], 1, /is not a backup of Assay; name a file made by `assay backup --home \S+`/],
  [['restore', nowhere], 1, /does not exist/],
  [['export'], 2, /'--dir <folder>' not specified/],
  [['sla', 'set', '--days', 'CRITICAL'], 2, /CRITICAL=7/],
  [['call', 'get_metric', '{"slug": }'], 2, /line 1, column 10/],
  [
    ['call', 'create_watch', '{"slug":"w","deliver":[{"type":"webhook","secret":"typed"}]}'],
    2,
    /A secret does not belong on the command line: for the secret of deliver\[0\], write/,
  ],
  [['call', 'get_metrc'], 1, /Did you mean get_metric/],
  [['dashboard', 'no-board'], 1, /No dashboard is called 'no-board'/],
]

let cli: OpenCommandLine
/** The other files of the data folder, and everything that the database has stored. */
function stateOf() {
  const names = readdirSync(cli.home).filter((name) => !name.startsWith('assay.db'))
  const database = new Database(join(cli.home, 'assay.db'), { readonly: true })
  try {
    const listed = database
      .prepare(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'",
      )
      .pluck()
      .all() as string[]
    const rows = listed.map((table) => [table, database.prepare(`SELECT * FROM "${table}"`).all()])
    return { names: names.sort(), rows: Object.fromEntries(rows) as Record<string, unknown> }
  } finally {
    database.close()
  }
}

describe('a typical mistake', () => {
  beforeAll(async () => {
    cli = openLastingCommandLine({ TOKEN: 'token-of-a-test' })
    await importFindings(cli, [{ id: 1, severity: 'HIGH', daysAgo: 2 }])
    writeFileSync(
      join(cli.home, 'notes.txt'),
      'These are notes, long enough to be more than the header of a database file. '.repeat(20),
    )
  })

  it.each(mistakes)('%j is named in one sentence, and changes nothing', async (argv, code, says, stdin) => {
    const before = stateOf()
    const given = argv.map((word) => (word === 'NOTES' ? join(cli.home, 'notes.txt') : word))
    const ran = await cli.run(given, stdin)
    expect([ran.code, ran.stdout]).toEqual([code, ''])
    expect(ran.stderr).toMatch(/^assay: .+[.?!]\n$/)
    expect(ran.stderr).toMatch(says)
    expect(ran.stderr).not.toMatch(
      /Invalid|expected (?:string|number|one)|undefined|metricSlug|filterMapping|glossaryTermSlug|\blist_\w+| at \w+\.ts/,
    )
    expect(stateOf()).toEqual(before)
  })

  it('in a variable names the variable', async () => {
    const { run } = openLastingCommandLine({ ASSAY_TOOLSETS: 'everything' })
    const { code, stderr } = await run(['sources'])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^assay: ASSAY_TOOLSETS must be one of agent, admin/)])
  })

  it('in the settings file names the file', async () => {
    const { home, run } = openLastingCommandLine()
    writeFileSync(join(home, 'config.json'), '{"host": 5}')
    expect((await run(['sources'])).stderr).toMatch(/^assay: host in config.json in the data folder must be a string/)
    writeFileSync(join(home, 'config.json'), '{"host": ')
    expect((await run(['sources'])).stderr).toMatch(/config.json in the data folder is not a JSON object/)
    writeFileSync(join(home, 'config.json'), '\uFEFF{"host": 5}')
    expect((await run(['sources'])).stderr).toMatch(/^assay: host in config.json in the data folder must be a string/)
    expect(existsSync(join(home, 'assay.db'))).toBe(false)
  })

  it('such as no home folder is not answered with a folder in the working directory', () => {
    vi.stubEnv('HOME', '')
    try {
      expect(() => defaultHome({}, 'linux')).toThrow('name a data folder with --home')
      expect(defaultHome({ XDG_DATA_HOME: '/data' }, 'linux')).toBe('/data/assay')
    } finally {
      vi.unstubAllEnvs()
    }
  })
})

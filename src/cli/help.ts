import { styleText } from 'node:util'
import { type Command, Help } from 'commander'
import type { Host } from './host.ts'
import { describeScreen } from './output/screen.ts'

/** Commands by what people do with them, in the order of the help. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'Start:': ['init', 'demo', 'doctor'],
  'Sources and scans:': ['sources', 'scan', 'import', 'detect'],
  'Questions:': ['query', 'dashboard', 'dashboards', 'findings', 'find-person', 'metrics', 'terms', 'check', 'test'],
  'Decisions:': ['triage', 'undo', 'suppressions', 'proposals', 'approve', 'reject', 'watch', 'sla'],
  'Assistants and servers:': ['mcp', 'serve', 'worker', 'console', 'service', 'token'],
  'Definitions as code:': ['export', 'diff', 'apply', 'validate'],
  'Upkeep:': ['backup', 'restore', 'move', 'key', 'audit', 'verify'],
  'Everything else:': ['call', 'generate', 'completion', 'help'],
}

/** Examples by the path of the command. */
const examples: Readonly<Record<string, readonly string[]>> = {
  '': ['assay demo', 'assay sources add', 'assay scan "Company wiki"', 'assay query open-findings --by severity'],
  init: ['assay init', 'assay init --home ./data'],
  demo: ['assay demo', 'assay demo --once'],
  doctor: ['assay doctor', 'assay doctor --full'],
  serve: ['assay serve', 'assay serve --port 0 --log-level debug'],
  worker: ['assay worker', 'assay worker --host 0.0.0.0 --log-level debug'],
  mcp: ['assay mcp install claude-code', 'assay mcp --toolsets agent --read-only'],
  'mcp install': ['assay mcp install claude-code', 'assay mcp install cursor --admin --yes'],
  'mcp uninstall': ['assay mcp uninstall claude-code'],
  scan: ['assay scan "Company wiki"', 'assay scan "Company wiki" --full'],
  'sources list': ['assay sources', 'assay sources list --format csv'],
  'sources add': ['assay sources add', 'assay sources add "Company wiki" --from-file wiki.json --test'],
  'sources edit': ['assay sources edit "Company wiki" --schedule nightly'],
  'sources show': ['assay sources show "Company wiki"'],
  'sources test': ['assay sources test "Company wiki"'],
  'sources remove': ['assay sources remove "Company wiki"'],
  query: [
    'assay query open-findings --by "severity,container"',
    'assay query new-findings --series week --from 2026-01-01',
    'assay query new-findings --from 2026-11-01 --compare previous_period --explain',
  ],
  findings: [
    'assay findings --detector-types SECRETS --statuses OPEN --sort severity',
    'assay findings --format csv > findings.csv',
  ],
  call: [
    'assay call list_metrics',
    `assay call get_metric "{'slug': 'open-findings'}"`,
    'assay call query_metric --help',
  ],
  'find-person': ['assay find-person', 'assay find-person < identifiers.txt'],
  triage: [
    'assay triage 24 25 --as false-positive --reason "test data"',
    `assay triage --filter "{'containers': ['Archive']}" --as ignored --reason "read only"`,
  ],
  'suppressions list': ['assay suppressions'],
  'suppressions add': [
    'assay suppressions add --containers Archive --finding-types EMAIL --reason "read only"',
    'assay suppressions add --value 24 --reason "an example"',
  ],
  'suppressions remove': ['assay suppressions remove 1'],
  'proposals list': ['assay proposals', 'assay proposals --status approved'],
  'proposals show': ['assay proposals show 12'],
  approve: ['assay approve 12', 'assay approve 12 --yes --reason "agreed in the review"'],
  reject: ['assay reject 12 --reason "too broad"'],
  undo: ['assay undo', 'assay undo 20261123T090500123 --yes'],
  'watch list': ['assay watch list'],
  'watch show': ['assay watch show open-criticals'],
  'watch create': [
    'assay watch create open-criticals --metric critical-open-findings --above 10',
    'assay watch create more-secrets --metric new-findings --last 7d --change-above 0.5',
  ],
  'watch delete': ['assay watch delete open-criticals'],
  test: ['assay test', 'assay test open-findings'],
  check: ['assay check', 'assay check open-criticals --allow-unknown'],
  'sla list': ['assay sla list'],
  'sla set': ['assay sla set --days "CRITICAL=3,HIGH=14"', 'assay sla set --term pii-exposure --days CRITICAL=1'],
  'sla remove': ['assay sla remove --term pii-exposure'],
  import: ['assay import findings.ndjson --source scanner', 'assay import log.sarif --source codeql --format sarif'],
  export: ['assay export --dir definitions'],
  diff: ['assay diff --dir definitions'],
  apply: ['assay apply --dir definitions --dry-run', 'assay apply --dir definitions'],
  validate: ['assay validate --dir definitions'],
  detect: ['assay detect notes.md docs/', 'assay detect notes.md --types "SECRETS,PII"'],
  backup: ['assay backup', 'assay backup /mnt/backups/assay.db'],
  restore: ['assay restore /mnt/backups/assay.db'],
  move: ['assay move --to sqlite:/mnt/data/assay.db --dry-run', 'assay move --to postgres://assay@db.example/assay'],
  'key status': ['assay key status'],
  'key rotate': ['assay key rotate'],
  'key replace': ['assay key replace --yes'],
  'key backup': ['assay key backup /mnt/safe/assay.key'],
  'token create': ['assay token create --scope read --name reporting --expires 30d'],
  'token list': ['assay token list'],
  'token revoke': ['assay token revoke reporting'],
  'token clear': ['assay token clear --yes'],
  'audit list': ['assay audit list', 'assay audit list --kind key --limit 10'],
  'audit verify': ['assay audit verify'],
  verify: ['assay verify --questions 500'],
  'terms list': ['assay terms', 'assay terms list --search secrets'],
  'terms show': ['assay terms show pii-exposure'],
  'terms create': ['assay terms create customer-data --detector-types PII --containers Sales'],
  'terms impact': ['assay terms impact pii-exposure --detector-types PII --severities HIGH'],
  'terms certify': ['assay terms certify customer-data'],
  'terms remove': ['assay terms remove customer-data'],
  'metrics list': ['assay metrics', 'assay metrics list --status ACTIVE'],
  'metrics show': ['assay metrics show open-findings'],
  'metrics create': ['assay metrics create open-secrets --mode stock --detector-types SECRETS --statuses OPEN'],
  'metrics impact': [`assay metrics impact open-findings "{'glossaryTermSlug': 'pii-exposure'}"`],
  'metrics certify': ['assay metrics certify open-secrets'],
  'metrics remove': ['assay metrics remove open-secrets'],
  dashboard: ['assay dashboard', 'assay dashboard discovery --from 2026-01-01'],
  dashboards: ['assay dashboards'],
  console: ['assay console', 'assay console --print'],
  'service install': ['assay service install', 'assay service install --print'],
  'service uninstall': ['assay service uninstall'],
  generate: [
    'assay generate --findings 1000 > findings.ndjson',
    'assay generate --findings 1000 | assay import - --source sample --home ./sample-data',
  ],
  completion: ['source <(assay completion bash)', 'assay completion fish > ~/.config/fish/completions/assay.fish'],
}

export const pathOf = (command: Command): string =>
  command.parent === null ? '' : [pathOf(command.parent), command.name()].filter(Boolean).join(' ')

export const examplesOf = (command: Command): readonly string[] => examples[pathOf(command)] ?? []

export const groupOf = (name: string): string | undefined =>
  Object.entries(groups).find(([, names]) => names.includes(name))?.[0]

/** Descriptions narrower than this are below their term instead of beside it. */
const MIN_DESCRIPTION = 24

/** Help in groups with examples, as wide as the terminal; options that are required say so. */
export function configureHelp(program: Command, host: Pick<Host, 'stdout' | 'env' | 'color'>): void {
  const order = Object.keys(groups)
  const screen = () => describeScreen(host, host.stdout)
  const width = () => Math.min(screen().width, host.stdout.isTTY === true ? 120 : 80)
  const all = [program, ...program.commands.flatMap((command) => [command, ...command.commands])]
  program.commandsGroup('Everything else:').helpCommand('help [command]', 'print the help of a command')
  for (const command of program.commands) command.helpGroup(groupOf(command.name()) ?? 'Everything else:')
  // The library prints groups in the order of the commands.
  const rank = (each: Command) => order.indexOf(each.helpGroup())
  ;(program.commands as Command[]).sort((a, b) => rank(a) - rank(b))
  for (const command of all) {
    command.configureHelp({
      minWidthToWrap: 10,
      optionDescription: (option) => {
        const text = Help.prototype.optionDescription.call(new Help(), option)
        return option.mandatory ? `(required) ${text}` : text
      },
      formatItem: (term, termWidth, description, helper) => {
        const room = helper.helpWidth ?? 80
        if (room - termWidth - 4 >= MIN_DESCRIPTION || description === '')
          return Help.prototype.formatItem.call(helper, term, termWidth, description, helper)
        const wrapped = helper.boxWrap(description, Math.max(12, room - 6))
        return `${helper.boxWrap(`  ${term}`, room)}\n${wrapped.replaceAll(/^/gm, '      ')}`
      },
      styleTitle: (title) => (screen().hasColor ? styleText('bold', title, { validateStream: false }) : title),
    })
    command.configureOutput({
      getOutHelpWidth: width,
      getOutHasColors: () => screen().hasColor,
    })
    const lines = examplesOf(command)
    if (lines.length === 0) continue
    command.addHelpText('after', ({ command: of }) => {
      const helper = of.createHelp()
      const heading = helper.styleTitle(lines.length === 1 ? 'Example:' : 'Examples:')
      const toLines = (example: string) => {
        const joined = example.replaceAll(/'[^']*'|"[^"]*"/g, (quoted) => quoted.replaceAll(' ', '\u00a0'))
        return helper
          .boxWrap(joined, width() - 6)
          .replaceAll('\u00a0', ' ')
          .split('\n')
          .join(' \\\n    ')
      }
      return `\n${[heading, ...lines.map((example) => `  ${toLines(example)}`)].join('\n')}`
    })
  }
}

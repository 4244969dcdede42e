import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { operations } from './catalogue.ts'
import type { Host } from './cli/host.ts'
import { toManual } from './cli/manual.ts'
import { createProgram } from './cli/program.ts'
import { Settings } from './config.ts'
import { connectors } from './connectors/index.ts'
import { CreateCustomDetector } from './custom-detectors/model.ts'
import { DashboardFile } from './definitions/model.ts'
import { detectorDescriptions } from './detectors/descriptions.ts'
import { CreateGlossaryTerm } from './glossary/model.ts'
import { createOpenApi } from './http/openapi.ts'
import { ImportLine } from './imports/read/import-line.ts'
import { CreateMetric } from './metrics/model.ts'
import { SlaFile } from './metrics/sla.ts'
import { version } from './runtime/package-files.ts'
import { configJsonSchema } from './sources/config-schema.ts'
import { installedPlugins } from './sources/operations.ts'
import { WatchFile } from './watches/model.ts'

const root = new URL('../', import.meta.url)
const folder = new URL('schemas/', root)

const slug = (name: string) => name.toLowerCase().replaceAll('_', '-')

function toSchemaFile(schema: z.ZodType, title: string): string {
  return toText({ title, ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'throw' }) })
}

const toText = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

/** The generated files in `schemas/`, by name. */
function createSchemas(): Map<string, string> {
  return new Map([
    ...connectors.map((connector): [string, string] => [
      `source-${slug(connector.type)}.schema.json`,
      toText({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        title: `${connector.type} source`,
        ...configJsonSchema({ ...installedPlugins, connectors: [connector] }),
      }),
    ]),
    ['glossary-term.schema.json', toSchemaFile(CreateGlossaryTerm, 'Glossary term')],
    ['metric.schema.json', toSchemaFile(CreateMetric, 'Metric definition')],
    ['dashboard.schema.json', toSchemaFile(DashboardFile, 'Dashboard')],
    ['watch.schema.json', toSchemaFile(WatchFile, 'Watch')],
    ['sla-policy.schema.json', toSchemaFile(SlaFile, 'Policy of due dates')],
    ['custom-detector.schema.json', toSchemaFile(CreateCustomDetector, 'Custom detector')],
    ['finding.schema.json', toSchemaFile(ImportLine, 'One line of a findings import')],
    ['config.schema.json', toSchemaFile(Settings, 'Settings of Assay')],
    ['openapi.json', toText(createOpenApi(operations, version))],
  ])
}

const cell = (text: string) => text.replaceAll('|', '\\|')

/** Replaces the table between the begin and end markers of its name. */
function withTable(page: string, name: string, lines: readonly string[]): string {
  const text = read(new URL(page, root))
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`]
  const [head, rest] = text.split(begin)
  const tail = rest?.split(end)[1]
  if (head === undefined || tail === undefined) throw new Error(`${page} must contain ${begin} and ${end}`)
  return `${head}${begin}\n${lines.join('\n')}\n${end}${tail}`
}

const createDetectorTable = () => [
  '| detector | what it finds, and what it does not | types |',
  '| --- | --- | --- |',
  ...detectorDescriptions.map(
    ({ type, description, findingTypes }) => `| \`${type}\` | ${cell(description)} | ${findingTypes.length || ''} |`,
  ),
]

/** Where the routes of an operation and its likes begin. */
const toBase = (route = '') => /^[A-Z]+ ((?:\/semantic)?\/[a-z-]+)/.exec(route)?.[1] ?? ''

/** The tools of assistants; the other operations have no tool. */
const createOperationTable = () => [
  '| REST | agent tools | admin tools |',
  '| --- | --- | --- |',
  ...[
    ...Map.groupBy(
      operations.filter(({ toolset }) => toolset !== undefined),
      ({ route }) => toBase(route),
    ),
  ].map(([base, group]) => {
    const namesOf = (wanted: string) =>
      group.flatMap(({ name, toolset }) => (toolset === wanted ? [`\`${name}\``] : [])).join(' ')
    return `| \`${base}\` | ${namesOf('agent')} | ${namesOf('admin')} |`
  }),
]

function read(file: string | URL): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const wanted = new Map<string, string>()
for (const [name, text] of createSchemas()) wanted.set(fileURLToPath(new URL(name, folder)), text)
const host = { version } as Host
wanted.set(fileURLToPath(new URL('man/assay.1', root)), toManual(await createProgram(host), version))
for (const [page, name, lines] of [
  ['docs/operations.md', 'operations', createOperationTable()],
  ['docs/using.md', 'detectors', createDetectorTable()],
] as const) {
  wanted.set(fileURLToPath(new URL(page, root)), withTable(page, name, lines))
}
mkdirSync(folder, { recursive: true })
const superfluous = readdirSync(folder)
  .map((name) => fileURLToPath(new URL(name, folder)))
  .filter((path) => !wanted.has(path))
const stale = [...wanted].filter(([path, text]) => read(path) !== text).map(([path]) => path)

if (process.argv.includes('--check')) {
  if (stale.length + superfluous.length > 0) {
    process.stderr.write(`Generated files are stale; run npm run generate:\n${[...stale, ...superfluous].join('\n')}\n`)
    process.exitCode = 1
  }
} else {
  for (const [path, text] of wanted) writeFileSync(path, text)
  for (const path of superfluous) rmSync(path)
}

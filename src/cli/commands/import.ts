import { createReadStream } from 'node:fs'
import { type Command, Option } from 'commander'
import type { ImportFormat, ImportRequest } from '../../imports/request.ts'
import { count } from '../../kernel/count.ts'
import { AppError } from '../../kernel/errors.ts'
import { line, showName } from '../../kernel/shown.ts'
import { openRegularFile } from '../../runtime/regular-file.ts'
import { declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import type { Flags, Host } from '../host.ts'
import { show } from '../output/show.ts'
import { toUtcTime } from '../output/times.ts'
import { printJson, withSession } from '../session.ts'

/** The size of one read from the file system. */
const READ_BYTES = 1024 * 1024
const formats = [
  'ndjson',
  'sarif',
  'gitleaks',
  'trufflehog',
  'semgrep',
  'detect-secrets',
  'csv',
] satisfies ImportFormat[]

export function addImportCommand(program: Command, host: Host): void {
  declareDataUse(({ options }) => (options.dryRun === true ? 'existing' : 'created'), program.command('import'))
    .description('import findings of another scanner, all or nothing; importing the same file again changes nothing')
    .argument('<file>', 'the file; - reads standard input')
    .requiredOption('--source <name>', 'name of the source they belong to; created if it does not exist')
    .addOption(new Option('--format <format>', 'format of the file (default: by its beginning)').choices(formats))
    .option('--complete', 'the file is all that its tool has for its scope: what is no longer in it is resolved')
    .option('--scope <name>', 'what the tool scanned, if the file does not say; needed for complete NDJSON and CSV')
    .option('--map <column=member>', 'what a column of CSV is (repeated); an empty member leaves it out', addColumn)
    .option('--dry-run', 'only say what the import would do, with the first three findings as they were understood')
    .option('--accept-vanishing', 'let a complete file be empty, or lack more than 30 % of its scope')
    .option('--json', 'print the result as JSON')
    .action(async (file: string, { home, json = false, ...request }: Flags & ImportRequest & { json?: boolean }) => {
      await withSession(host, { home }, async ({ app }) => {
        const [{ importFindings }, { importForCaller }] = await Promise.all([
          import('../../imports/imports.ts'),
          import('../../imports/for-caller.ts'),
        ])
        const context = app.contextFor({ caller: app.caller, signal: host.signal })
        context.store.files?.limitCaches()
        const bytes = file === '-' ? (host.stdin as AsyncIterable<Uint8Array>) : readFile(file)
        const result = await importForCaller(() => importFindings(bytes, request, context), context)
        if (json) return printJson(host, result)
        const { findings, lines, assets, preview = [] } = result
        await show(
          host,
          ...preview.map(
            (each) =>
              line`${showName(each.asset)}: ${showName(each.detectorType)} ${showName(each.findingType)}, ${showName(each.severity)}, ${showName(each.status)}, since ${toUtcTime(each.firstDetectedAt)}${each.excerpt === null ? line`` : line` · ${showName(each.excerpt)}`}`,
          ),
          line`${request.dryRun === true ? line`Dry run, nothing was changed. ` : line``}${showName(result.source.name)}: ${count(lines, 'line')}, ${count(assets, 'asset')} · findings: ${findings.new} new, ${findings.again} again, ${findings.resolved} resolved`,
        )
      })
    })
}

function addColumn(value: string, columns: Record<string, string> = {}): Record<string, string> {
  const at = value.lastIndexOf('=')
  if (at < 1) throw new UsageError(`--map ${value} must be column=member.`)
  return { ...columns, [value.slice(0, at)]: value.slice(at + 1) }
}

async function* readFile(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file, { fd: openRegularFile(file), highWaterMark: READ_BYTES })
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('not_found', `The file ${file} cannot be read; check its name and permissions.`, { cause })
  }
}

import { createReadStream } from 'node:fs'
import { type Command, Option } from 'commander'
import type { ImportFormat } from '../../imports/imports.ts'
import { count } from '../../kernel/count.ts'
import { AppError } from '../../kernel/errors.ts'
import { line, showName } from '../../kernel/shown.ts'
import { openRegularFile } from '../../runtime/regular-file.ts'
import { declareDataUse } from '../data-use.ts'
import type { Flags, Host } from '../host.ts'
import { show } from '../output/show.ts'
import { printJson, withSession } from '../session.ts'

/** The size of one read from the file system. */
const READ_BYTES = 1024 * 1024
const formats = ['ndjson', 'sarif'] satisfies ImportFormat[]

export function addImportCommand(program: Command, host: Host): void {
  declareDataUse('created', program.command('import'))
    .description('import findings of another scanner, all or nothing; importing the same file again changes nothing')
    .argument('<file>', 'the file; - reads standard input')
    .requiredOption('--source <name>', 'name of the source they belong to; created if it does not exist')
    .addOption(new Option('--format <format>', 'format of the file (default: by its beginning)').choices(formats))
    .option('--json', 'print the result as JSON')
    .action(async (file: string, options: Flags & { source: string; format?: ImportFormat; json?: boolean }) => {
      const { source, home } = options
      await withSession(host, { home }, async ({ app }) => {
        const [{ importFindings }, { recognizeFormat }, { isLockedDown, withholdFile }] = await Promise.all([
          import('../../imports/imports.ts'),
          import('../../imports/read/recognize.ts'),
          import('../../operation/lockdown/lockdown.ts'),
        ])
        const context = app.contextFor({ caller: app.caller, signal: host.signal })
        context.store.files?.limitCaches()
        const bytes = file === '-' ? (host.stdin as AsyncIterable<Uint8Array>) : readFile(file)
        const { format, stream } =
          options.format === undefined ? await recognizeFormat(bytes) : { format: options.format, stream: bytes }
        const result = await importFindings(stream, { source, format }, context).catch((error: unknown) => {
          throw error instanceof AppError && isLockedDown(context) ? withholdFile(error) : error
        })
        if (options.json) return printJson(host, result)
        const { findings, lines, assets } = result
        await show(
          host,
          line`${showName(result.source.name)}: ${count(lines, 'line')}, ${count(assets, 'asset')} · findings: ${findings.new} new, ${findings.again} again, ${findings.resolved} resolved`,
        )
      })
    })
}

async function* readFile(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file, { fd: openRegularFile(file), highWaterMark: READ_BYTES })
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('not_found', `The file ${file} cannot be read; check its name and permissions.`, { cause })
  }
}

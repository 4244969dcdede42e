import { type Command, InvalidArgumentError, Option } from 'commander'
import { joinShown, line, type PrintableText, showCode, showName, showSentence } from '../../kernel/shown.ts'
import type { ExportFormat } from '../../operation/operation.ts'
import { declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import { addFilterFlags, splitFilter } from '../filter-flags.ts'
import type { Flags, Host } from '../host.ts'
import { print, printJson, printNote, withSession } from '../session.ts'
import { toTable } from '../table.ts'

interface FindingView {
  id: string
  severity: string
  status: string
  detectorType: string
  findingType: string
  excerpt?: string
  asset: { name: string; container: string }
}

interface FindingFlags extends Flags {
  format?: ExportFormat
  json?: boolean
  limit?: number
  cursor?: string
}

const formats: ExportFormat[] = ['csv', 'sarif', 'ndjson']

export function addFindingCommands(program: Command, host: Host): void {
  const command = declareDataUse('existing', program.command('findings')).description('list findings, newest first')
  addFilterFlags(command)
    .option('--search <text>', 'words in the excerpt or the name of the asset')
    .option('--from <time>', 'first detected since: a day such as 2026-01-31, or a timestamp')
    .option('--to <time>', 'first detected through this day, or before this timestamp')
    .addOption(new Option('--sort <order>', 'order (default newest)').choices(['newest', 'severity', 'lastDetectedAt']))
    .option('--total', 'also count all matching findings')
    .option('--limit <n>', 'number of findings (1 to 500; default 50)', toCount)
    .option('--cursor <cursor>', 'continue a list at its nextCursor')
    .addOption(new Option('--format <format>', 'write all matching findings to stdout in this format').choices(formats))
    .option('--json', 'print the response of the REST API')
    .action(async ({ json, home, format, ...options }: FindingFlags) => {
      const { filter, others } = splitFilter(options)
      const input = { ...filter, ...others }
      if (format !== undefined) {
        const [unfit] = json ? ['json'] : ['limit', 'cursor', 'total'].filter((name) => others[name] !== undefined)
        if (unfit !== undefined)
          throw new UsageError(`--${unfit} cannot be used with --format, which writes the whole list.`)
        return withSession(host, { home }, (session) => session.write('search_findings', format, input))
      }
      const answer = await withSession(host, { home }, (session) =>
        session.call<{ items: FindingView[]; total?: number; nextCursor?: string }>('search_findings', input),
      )
      if (json) return printJson(host, answer)
      if (answer.items.length === 0) return print(host, line`No findings match.`)
      const columns = ['id', 'severity', 'status', 'what', 'where', 'excerpt'].map((title) => ({
        title: showName(title),
      }))
      print(host, ...toTable(columns, answer.items.map(toRow)))
      if (answer.total !== undefined) print(host, line`${answer.total} in all`)
      if (answer.nextCursor !== undefined) printNote(host, line`More: --cursor ${showSentence(answer.nextCursor)}`)
    })
}

const MAX_PLACE = 40
const MAX_EXCERPT = 60

function toRow({ id, severity, status, detectorType, findingType, asset, excerpt = '' }: FindingView): PrintableText[] {
  const where = [asset.container, asset.name].filter((part) => part !== '').map((part) => showName(part, MAX_PLACE))
  return [
    showCode(id),
    showCode(severity),
    showCode(status),
    line`${showName(detectorType)} ${showName(findingType)}`,
    joinShown(where, ' / '),
    excerpt === '' ? line`` : showName(excerpt, MAX_EXCERPT),
  ]
}

function toCount(value: string): number {
  const count = Number(value)
  if (!/^\d+$/.test(value) || count < 1 || count > 500)
    throw new InvalidArgumentError('Must be a whole number from 1 to 500.')
  return count
}

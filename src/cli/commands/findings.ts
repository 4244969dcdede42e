import { type Command, Option } from 'commander'
import type { Finding, FindingDetail } from '../../findings/model.ts'
import { joinShown, line, showCode, showName, showSentence } from '../../kernel/shown.ts'
import type { ExportFormat } from '../../operation/operation.ts'
import { declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import { addFilterFlags, endOption, splitFilter, startOption, toFlag } from '../filter-flags.ts'
import { toDetailText } from '../finding-text.ts'
import { upTo } from '../flag-numbers.ts'
import type { Flags, Host } from '../host.ts'
import { type Column, cell, linked, type TableCell, table, warning } from '../output/blocks.ts'
import { addFormats, outputFormats, present, showNote } from '../output/show.ts'
import { withSession } from '../session.ts'

interface FindingFlags extends Flags {
  color?: unknown
  format?: string
  json?: boolean
  limit?: number
  cursor?: string
}

interface FindingList {
  items: Finding[]
  total?: number
  nextCursor?: string
  warnings?: { message: string }[]
}

const exportFormats: ExportFormat[] = ['csv', 'sarif', 'ndjson']

export function addFindingCommands(program: Command, host: Host): void {
  const command = declareDataUse('existing', program.command('findings'))
    .description('list findings, newest first; with an id, show one with its history')
    .argument('[id]', 'id of a finding')
  addFilterFlags(command)
    .option('--search <text>', 'words in the excerpt or the name of the asset')
    .option('--from <time>', `of the first detection, ${startOption}`)
    .option('--to <time>', `of the first detection, ${endOption}`)
    .addOption(new Option('--sort <order>', 'order (default newest)').choices(['newest', 'severity', 'lastDetectedAt']))
    .option('--total', 'also count all matching findings')
    .option('--limit <n>', 'number of findings (1 to 500; default 50)', upTo(500))
    .option('--cursor <cursor>', 'continue a list at its nextCursor')
  addFormats(command, [...new Set([...outputFormats, ...exportFormats])])
    .description(
      'list findings, newest first; with an id, show one with its history; csv, sarif and ndjson contain all matching findings',
    )
    .action(async (id: string | undefined, { json, home, format, color, ...options }: FindingFlags) => {
      const { filter, others } = splitFilter(options)
      const input = { ...filter, ...others }
      if (id !== undefined) {
        const [unfit] = Object.keys(input)
        if (unfit !== undefined) throw new UsageError(`${toFlag(unfit)} cannot be used with the id of one finding.`)
        const finding = await withSession(host, { home }, (session) =>
          session.call<FindingDetail>('get_finding', { id }),
        )
        return present(host, { json, format }, finding, () => toDetailText(finding))
      }
      const exported = exportFormats.find((each) => each === format)
      if (exported !== undefined) {
        const [unfit] = json ? ['json'] : ['limit', 'cursor', 'total'].filter((name) => others[name] !== undefined)
        if (unfit !== undefined)
          throw new UsageError(`--${unfit} cannot be used with --format ${exported}, which writes the whole list.`)
        return withSession(host, { home }, (session) => session.write('search_findings', exported, input))
      }
      const answer = await withSession(host, { home }, (session) => session.call<FindingList>('search_findings', input))
      await present(host, { json, format }, answer, () =>
        answer.items.length === 0
          ? [line`No findings match.`]
          : [
              table(columns, answer.items.map(toRow)),
              ...(answer.total === undefined ? [] : [line`${answer.total} in all`]),
            ],
      )
      for (const { message } of answer.warnings ?? []) await showNote(host, warning(message))
      if (answer.nextCursor !== undefined && json !== true && format !== 'json')
        await showNote(host, line`More: --cursor ${showSentence(answer.nextCursor)}`)
      const [first] = answer.items
      if (first !== undefined && host.stdout.isTTY === true && json !== true && (format ?? 'table') === 'table')
        await showNote(host, line`One of them with its history: assay findings ${showCode(first.id)}`)
    })
}

const MAX_PLACE = 40
const MAX_EXCERPT = 60

const columns: Column[] = [
  { title: line`id` },
  { title: line`severity` },
  { title: line`status` },
  { title: line`what`, shrink: 1 },
  { title: line`where`, shrink: 2 },
  { title: line`excerpt`, shrink: 3, isCut: true, isOptional: true },
]

function toRow({ id, severity, status, detectorType, findingType, asset, excerpt }: Finding): TableCell[] {
  const where = [asset.container, asset.name].filter((part) => part !== '').map((part) => showName(part, MAX_PLACE))
  return [
    cell.code(id),
    cell.status(severity),
    cell.status(status),
    cell.shown(line`${showName(detectorType)} ${showName(findingType)}`),
    linked(cell.shown(joinShown(where, ' / ')), asset.url),
    excerpt ? cell.name(excerpt, MAX_EXCERPT) : cell.shown(line``),
  ]
}

import { type Command, InvalidArgumentError } from 'commander'
import { joinShown, line, type PrintableText, showCode, showName, showSentence } from '../../kernel/shown.ts'
import { declareDataUse } from '../data-use.ts'
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

const list = (value: string) => value.split(',').map((item) => item.trim())

export function addFindingCommands(program: Command, host: Host): void {
  declareDataUse('existing', program.command('findings'))
    .description('list findings, newest first')
    .option('--detector-types <list>', 'such as SECRETS,PII', list)
    .option('--severities <list>', 'such as CRITICAL,HIGH', list)
    .option('--statuses <list>', 'such as OPEN', list)
    .option('--sources <list>', 'names or ids of sources', list)
    .option('--search <text>', 'words in the excerpt or the name of the asset')
    .option('--limit <n>', 'number of findings (1 to 500)', toCount, 50)
    .option('--cursor <cursor>', 'continue a list at its nextCursor')
    .option('--json', 'print the response of the REST API')
    .action(async ({ json, home, ...filters }: Flags & { json?: boolean }) => {
      const answer = await withSession(host, { home }, (session) =>
        session.call<{ items: FindingView[]; nextCursor?: string }>('search_findings', filters),
      )
      if (json) return printJson(host, answer)
      if (answer.items.length === 0) return print(host, line`No findings match.`)
      const columns = ['id', 'severity', 'status', 'what', 'where', 'excerpt'].map((title) => ({
        title: showName(title),
      }))
      print(host, ...toTable(columns, answer.items.map(toRow)))
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

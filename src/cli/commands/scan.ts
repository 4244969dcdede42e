import type { Command } from 'commander'
import { AppError } from '../../kernel/errors.ts'
import { line, showCode, showName } from '../../kernel/shown.ts'
import { declareDataUse } from '../data-use.ts'
import type { Flags, Host } from '../host.ts'
import { followScan, toFailure, toScanSummary } from '../scan-progress.ts'
import { print, printJson, withSession } from '../session.ts'
import { toTable } from '../table.ts'

interface SourceView {
  id: string
  name: string
  type: string
  lastCompletedScanAt?: string
  nextRunAt?: string
}

export function addScanCommands(program: Command, host: Host): void {
  declareDataUse('existing', program.command('scan'))
    .description('scan one source now and show the progress')
    .argument('<source>', 'name or id of the source')
    .option('--full', 'read everything again, including what seems unchanged')
    .option('--json', 'print the scan as JSON')
    .action(async (source: string, options: Flags & { json?: boolean; full?: boolean }) => {
      const scan = await withSession(host, options, async (session) => {
        const { id } = await session.call<{ id: string }>('start_scan', { id: source, full: options.full === true })
        return followScan(host, session, id)
      })
      if (options.json) printJson(host, scan)
      else print(host, toScanSummary(scan))
      if (scan.status === 'FAILED') throw new AppError('unavailable', toFailure(scan))
    })

  declareDataUse('existing', program.command('sources'))
    .description('list the sources')
    .option('--json', 'print the response of the REST API')
    .action(async (options: Flags & { json?: boolean }) => {
      const answer = await withSession(host, options, (session) =>
        session.call<{ items: SourceView[] }>('list_sources', {}),
      )
      if (options.json) return printJson(host, answer)
      if (answer.items.length === 0) {
        return print(host, line`No sources yet. Add one with: assay call create_source '{"name": …, "config": …}'`)
      }
      const titles = ['name', 'type', 'last complete scan', 'next run', 'id']
      const rows = answer.items.map(({ name, type, lastCompletedScanAt, nextRunAt, id }) => [
        showName(name),
        showName(type),
        showCode(lastCompletedScanAt ?? 'never'),
        showCode(nextRunAt ?? '-'),
        showCode(id),
      ])
      const columns = titles.map((title) => ({ title: showName(title) }))
      print(host, ...toTable(columns, rows))
    })
}

import type { Command } from 'commander'
import { AppError } from '../../kernel/errors.ts'
import { declareDataUse } from '../data-use.ts'
import type { Flags, Host } from '../host.ts'
import { show } from '../output/show.ts'
import { followScan, toFailure, toScanSummary } from '../scan-progress.ts'
import { printJson, withSession } from '../session.ts'

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
      else await show(host, toScanSummary(scan))
      if (scan.status === 'FAILED') throw new AppError('unavailable', toFailure(scan))
    })
}

import type { Command } from 'commander'
import { line, showSentence } from '../../kernel/shown.ts'
import { declareDataUse } from '../data-use.ts'
import type { Flags, Host } from '../host.ts'
import { show } from '../output/show.ts'
import { printJson, withSession } from '../session.ts'

export function addInitCommand(program: Command, host: Host): void {
  declareDataUse('upgraded', program.command('init'))
    .description(
      'create the data folder with its database and key; existing ones are left as they are, but an older schema is upgraded',
    )
    .option('--json', 'print the result as JSON')
    .action(async ({ json, ...flags }: Flags & { json?: boolean }) => {
      const { home } = host.locate(flags)
      await withSession(host, flags, async () => {})
      if (json) printJson(host, { home })
      else await show(host, line`The data folder ${showSentence(home)} is ready.`)
    })
}

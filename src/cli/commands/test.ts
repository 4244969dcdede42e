import type { Command } from 'commander'
import { count } from '../../kernel/count.ts'
import { AppError } from '../../kernel/errors.ts'
import { line, showCode } from '../../kernel/shown.ts'
import type { TestedMetrics } from '../../query/metric-test-runs.ts'
import { declareDataUse } from '../data-use.ts'
import type { Flags, Host } from '../host.ts'
import { toTestLines } from '../impact-text.ts'
import { cell } from '../output/blocks.ts'
import { show } from '../output/show.ts'
import { printJson, withSession } from '../session.ts'

export function addTestCommand(program: Command, host: Host): void {
  declareDataUse('existing', program.command('test'))
    .description('run the tests of metrics; exit 1 if one fails')
    .argument('[metrics...]', 'slugs or names of metrics (default: all that have tests)')
    .option('--json', 'print the response of the REST API')
    .action(async (metrics: string[], { json, home }: Flags & { json?: boolean }) => {
      const { items } = await withSession(host, { home }, (session) =>
        session.call<TestedMetrics>('test_metrics', metrics.length === 0 ? {} : { metrics }),
      )
      if (json) printJson(host, { items })
      else if (items.every(({ tests }) => tests.length === 0)) await show(host, line`No metric has tests.`)
      else {
        await show(
          host,
          ...items.flatMap(({ slug, passed, tests }) => [
            [line`${showCode(slug)}: `, cell.status(passed ? 'PASSED' : 'FAILED')],
            ...toTestLines(tests),
          ]),
        )
      }
      const failed = items.filter(({ passed }) => !passed).length
      if (failed > 0) throw new AppError('conflict', `${count(failed, 'metric')} of ${items.length} failed a test.`)
    })
}

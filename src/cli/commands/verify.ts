import type { Command } from 'commander'
import { AppError } from '../../kernel/errors.ts'
import { line, showSentence } from '../../kernel/shown.ts'
import { declareDataUse } from '../data-use.ts'
import { upTo } from '../flag-numbers.ts'
import type { Flags, Host } from '../host.ts'
import { show } from '../output/show.ts'
import { printJson } from '../session.ts'

const SHOWN = 5

export function addVerifyCommand(program: Command, host: Host): void {
  declareDataUse('existing', program.command('verify'))
    .description('run the same random queries about your findings on the engine and on SQL, and compare the results')
    .option('--questions <n>', 'number of queries (default 200)', upTo(1000000))
    .option('--seed <n>', 'seed of the random queries (default: changes every day)', upTo(1000000))
    .option('--json', 'print the result as JSON')
    .action(async ({ questions = 200, seed, json, ...flags }: Flags & Asked) => {
      const today = Math.floor(Date.now() / 86_400_000)
      const verified = await host.verify(flags, { questions, seed: seed ?? today })
      const { findings, left, differences } = verified
      if (json) printJson(host, verified)
      else {
        await show(
          host,
          line`${questions} queries about ${findings} findings: ${differences.length} with different results`,
        )
        await show(host, line`${questions - left} were answered by both, ${left} by SQL only`)
        for (const plan of differences.slice(0, SHOWN))
          await show(host, line`different: ${showSentence(plan, plan.length)}`)
      }
      if (differences.length > 0) {
        throw new AppError(
          'internal',
          'The engine and SQL disagree; please report the queries above. The results of SQL are right.',
        )
      }
    })
}

interface Asked {
  questions?: number
  seed?: number
  json?: boolean
}

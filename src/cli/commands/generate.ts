import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { declareDataUse } from '../data-use.ts'
import type { Host } from '../host.ts'

const LINES_AT_ONCE = 500

export function addGenerateCommand(program: Command, host: Host): void {
  declareDataUse('none', program.command('generate'))
    .description('write random test findings in the import format to stdout; the same seed gives the same findings')
    .requiredOption('--findings <n>', 'number of findings', toCount)
    .option('--seed <n>', 'seed of the random numbers', toCount, 1)
    .action(async ({ findings, seed }: { findings: number; seed: number }) => {
      const { generateFindings } = await import('../../sample/findings.ts')
      await pipeline(Readable.from(toChunks(generateFindings(findings, seed))), host.stdout, {
        end: false,
        signal: host.signal,
      })
    })
}

function* toChunks(findings: Iterable<unknown>): Generator<string> {
  let lines: string[] = []
  for (const finding of findings) {
    lines.push(JSON.stringify(finding))
    if (lines.length < LINES_AT_ONCE) continue
    yield `${lines.join('\n')}\n`
    lines = []
  }
  if (lines.length > 0) yield `${lines.join('\n')}\n`
}

function toCount(value: string): number {
  const count = Number(value)
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(count)) throw new InvalidArgumentError('Must be a whole number.')
  return count
}

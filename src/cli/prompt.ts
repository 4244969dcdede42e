import { createInterface } from 'node:readline/promises'
import { AppError } from '../kernel/errors.ts'
import type { PrintableText } from '../kernel/shown.ts'
import { UsageError } from './exit.ts'
import type { Host } from './host.ts'

/** Whether there is a person who can answer: questions go to stderr, so stdout may be a file. */
export const isInteractive = ({ stdin, stderr }: Host): boolean => stdin.isTTY === true && stderr.isTTY === true

interface Question {
  initial?: string | undefined
  placeholder?: string | undefined
  /** May be left empty. */
  isOptional?: boolean
}

export async function askText(host: Host, message: PrintableText, question: Question = {}): Promise<string> {
  const { text } = await import('@clack/prompts')
  const { initial, placeholder, isOptional = false } = question
  const answer = await text({
    ...streams(host),
    message,
    ...(initial === undefined ? {} : { initialValue: initial }),
    ...(placeholder === undefined ? {} : { placeholder }),
    validate: (value = '') => (isOptional || value.trim() !== '' ? undefined : 'A value is needed here.'),
  })
  return toAnswer(answer ?? '').trim()
}

/** Asks for a secret without showing anything of it, its length included. */
export async function askSecret(host: Host, message: PrintableText): Promise<string> {
  const { password } = await import('@clack/prompts')
  const answer = await password({
    ...streams(host),
    message,
    mask: '',
    validate: (value = '') => (value.trim() === '' ? 'A value is needed here.' : undefined),
  })
  return toAnswer(answer).trim()
}

interface Choice {
  value: string
  label: string
  hint?: string
}

export async function askChoice(host: Host, message: PrintableText, options: readonly Choice[]): Promise<string> {
  const { select } = await import('@clack/prompts')
  return toAnswer(await select<string>({ ...streams(host), message, options: [...options] }))
}

/** Asks for any number of the options; none is an answer, too. */
export async function askChoices(host: Host, message: PrintableText, options: readonly Choice[]): Promise<string[]> {
  const { multiselect } = await import('@clack/prompts')
  return toAnswer(
    await multiselect<string>({ ...streams(host), message, options: [...options], required: false, maxItems: 12 }),
  )
}

/**
 * Asks a question whose answer is yes or no; the answer may come from a pipe.
 * @throws UsageError where the input ends without an answer
 */
export async function agrees(host: Host, question: PrintableText): Promise<boolean> {
  const asking = createInterface({ input: host.stdin, output: host.stderr })
  try {
    const ended = new Promise<undefined>((resolve) => asking.once('close', () => resolve(undefined)))
    const answer = await Promise.race([asking.question(`${question} [y/N] `, { signal: host.signal }), ended])
    if (answer !== undefined) return /^y(?:es)?$/i.test(answer.trim())
    host.stderr.write('\n')
    throw new UsageError('Nothing was changed, because the question was not answered; --yes answers it.')
  } finally {
    asking.close()
  }
}

const streams = ({ stdin, stderr, signal }: Host) => ({ input: stdin, output: stderr, signal })

function toAnswer<T>(answer: T): Exclude<T, symbol> {
  if (typeof answer !== 'symbol') return answer as Exclude<T, symbol>
  throw new AppError('conflict', 'Nothing was changed, because the question was not answered.')
}

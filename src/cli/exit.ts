import { AppError } from '../kernel/errors.ts'
import { joinShown, line, MAX_NAME, type PrintableText, showName, showSentence } from '../kernel/shown.ts'

/** An invalid command line: reported with a hint at `--help`, exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

export const EXIT_OK = 0
export const EXIT_FAILED = 1
export const EXIT_USAGE = 2

/** An error as lines for stderr: one sentence, then hints. */
export async function toMessage(error: unknown): Promise<PrintableText[]> {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
    return [line`A package that Assay needs is not installed; install Assay again with its dependencies.`]
  }
  // Loaded only on failure, because masking credentials needs the detectors.
  const [{ toSafeError }, { toLoggedText }] = await Promise.all([
    import('../operation/repeated.ts'),
    import('../detectors/safe-text.ts'),
  ])
  if (!(error instanceof AppError))
    return [showSentence(toLoggedText(error instanceof Error ? error.message : String(error)))]
  const { message, facts } = toSafeError(error)
  const { issues = [], suggestions = [] } = facts
  const lines = [showSentence(message.replace(', see issues)', ', listed below)'))]
  if (issues.length > 1)
    lines.push(
      ...issues
        .slice(0, 20)
        .map(({ path, message }) => line`  ${showSentence(path || '(input)', MAX_NAME)}: ${showSentence(message)}`),
    )
  const unmentioned = suggestions.filter(({ value }) => !message.includes(value))
  if (unmentioned.length > 0) {
    const shown = unmentioned.map(({ value, kind }) => line`${showName(value)} (${showName(kind)})`)
    lines.push(line`  Did you mean: ${joinShown(shown)}?`)
  }
  return lines
}

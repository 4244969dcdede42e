import { AppError } from '../kernel/errors.ts'
import { joinShown, line, MAX_NAME, type PrintableText, showName, showSentence } from '../kernel/shown.ts'
import { toSystemSentence } from '../kernel/system-error.ts'
import { inCommands, inOptionNames, toOption } from './command-words.ts'
import { withoutMilliseconds } from './output/times.ts'

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

/** An error as lines for stderr: one sentence, then its problems; `isRaw` where the request was typed as JSON. */
export async function toMessage(error: unknown, isRaw = false): Promise<PrintableText[]> {
  if (error instanceof Error && 'code' in error && /^(?:ERR_)?MODULE_NOT_FOUND$/.test(String(error.code))) {
    return [line`A package that Assay needs is not installed; install Assay again with its dependencies.`]
  }
  // Loaded only on failure, because masking credentials needs the detectors.
  const [{ toSafeError }, { toLoggedText }] = await Promise.all([
    import('../operation/repeated.ts'),
    import('../detectors/safe-text.ts'),
  ])
  if (!(error instanceof AppError))
    return [
      showSentence(toLoggedText(toSystemSentence(error) ?? (error instanceof Error ? error.message : String(error)))),
    ]
  const { message, facts } = toSafeError(error)
  const { issues = [], suggestions = [] } = facts
  const ofPath = (path: string) => (isRaw || path === '' || /[ -]/.test(path) ? path || '(input)' : toOption(path))
  const listed = withoutMilliseconds(message).replace(', see issues)', ', listed below)')
  const said = isRaw ? listed : inCommands(listed)
  const sentence = showSentence(isRaw ? said : capitalize(inOptionNames(said)))
  const unmentioned = suggestions.filter(({ value }) => !message.includes(value))
  const shown = unmentioned
    .slice(0, MAX_SUGGESTIONS)
    .map(({ value, kind }) => line`${showName(value)} (${showName(kind)})`)
  const hint = shown.length === 0 ? line`` : line` Did you mean ${joinShown(shown)}?`
  const lines = [line`${sentence}${hint}`]
  if (issues.length > 1)
    lines.push(
      ...issues
        .slice(0, 20)
        .map(
          ({ path, message }) =>
            line`  ${showSentence(ofPath(path), MAX_NAME)}: ${showSentence(withoutMilliseconds(message))}`,
        ),
    )
  return lines
}

/** Suggestions that a sentence names. */
const MAX_SUGGESTIONS = 3

const capitalize = (text: string) => (text.startsWith('the ') ? `T${text.slice(1)}` : text)

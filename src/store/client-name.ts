import { toSafeText, toSafeTextOnce } from '../detectors/safe-text.ts'
import type { SafeText } from '../kernel/safe-text.ts'

const MAX_LENGTH = 80
const MAX_READ = 500

/** The name by which a program calls itself, as histories keep it: one short line; undefined where nothing is left. */
export function toStoredClient(name: string | undefined): SafeText | undefined {
  // Hidden first: without its punctuation a credential is not known for one any more.
  const line = toSafeText(name ?? '', 'prose', MAX_READ)
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N} ._/+@();:-]/gu, '')
    .trim()
  return line === '' ? undefined : toSafeTextOnce(line, 'prose', MAX_LENGTH)
}

import { toSafeText, toSafeTextOnce } from '../detectors/safe-text.ts'
import type { SafeText } from '../kernel/safe-text.ts'

const MAX_LENGTH = 80
const MAX_READ = 500

/**
 * The name by which a client program identifies itself, as stored in histories: one short line; undefined when no
 * allowed character is left.
 */
export function toStoredClient(name: string | undefined): SafeText | undefined {
  // Credentials are masked first: without its punctuation a credential is no longer recognised.
  const line = toSafeText(name ?? '', 'prose', MAX_READ)
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N} ._/+@();:-]/gu, '')
    .trim()
  return line === '' ? undefined : toSafeTextOnce(line, 'prose', MAX_LENGTH)
}

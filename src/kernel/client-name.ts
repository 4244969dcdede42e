import { scrub } from './redaction.ts'

const MAX_LENGTH = 80

/** The name by which a program calls itself, as histories keep it: one short line; undefined where nothing is left. */
export function toClientName(text: string | null | undefined): string | undefined {
  const line = scrub((text ?? '').normalize('NFKC').slice(0, 500))
    .replaceAll(/[^\p{L}\p{N} ._/+@();:-]/gu, '')
    .trim()
    .slice(0, MAX_LENGTH)
  return line === '' ? undefined : line
}

import { MASK, scrub } from '../kernel/redaction.ts'
import { joinRanges } from './overlap.ts'
import { mayHoldSecret, secretsDetector } from './secrets/index.ts'

/** Nothing shorter names a secret and holds it too. */
const SHORTEST = 12
const LEAST_CONFIDENCE = 0.5
const config = secretsDetector.config.parse({})
const asset = { key: '', kind: 'text', name: '', url: '' }

/** Names come again and again: each is looked at once in a while. */
const MOST_KEPT = 5_000
const kept = new Map<string, string>()

/** A name or an address as it may be kept and shown: without credentials, whatever their form. */
export function hideSecrets(line: string): string {
  if (line.length < SHORTEST) return line
  const known = kept.get(line)
  if (known !== undefined) return known
  const hidden = hide(line)
  if (kept.size >= MOST_KEPT) kept.clear()
  kept.set(line, hidden)
  return hidden
}

/** The same for a line that hardly comes again: nothing is remembered. */
export function hideSecretsOnce(line: string): string {
  return line.length < SHORTEST ? line : hide(line)
}

function hide(line: string): string {
  const text = scrub(line)
  if (!mayHoldSecret(text)) return text
  const document = { mime: 'text/plain', parts: [{ kind: 'text' as const, path: '', text }], links: [] }
  const found = [...secretsDetector.detect(document, { asset, config, now: 0 })]
  let hidden = ''
  let at = 0
  for (const { start, end } of joinRanges(found.filter(({ confidence }) => confidence >= LEAST_CONFIDENCE))) {
    hidden += text.slice(at, start) + MASK
    at = end
  }
  return hidden + text.slice(at)
}

/** The same for every string in a value, as JSON. */
export const toHiddenJson = (value: unknown): string =>
  scrub(JSON.stringify(value, (_, member: unknown) => (typeof member === 'string' ? hideSecrets(member) : member)))

import { VEIL } from './excerpt.ts'
import { joinRanges } from './overlap.ts'
import { runRequest } from './request.ts'

/** A text with every credential and every piece of personal data veiled; for text that others took from a source. */
export function redactText(text: string): string {
  const { findings } = runRequest(
    { mime: 'text/plain', parts: [{ kind: 'text', path: '', text }], links: [] },
    {
      asset: { key: '', kind: 'text', name: '', url: '' },
      detectors: [{ type: 'SECRETS' }, { type: 'PII' }],
      now: 0,
      inlineSuppression: false,
      occurrences: 'all',
    },
    { fingerprint: (canonical) => canonical },
  )
  let redacted = ''
  let at = 0
  for (const { start, end } of joinRanges(
    findings.map(({ location }) => ({ start: location.start ?? 0, end: location.end ?? 0 })),
  )) {
    redacted += text.slice(at, start) + VEIL
    at = end
  }
  return redacted + text.slice(at)
}

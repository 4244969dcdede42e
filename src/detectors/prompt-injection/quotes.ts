import type { Part } from '../../documents/document.ts'

const AROUND = 160
const MAX_QUOTE_LENGTH = 240
const spokenOf =
  /\b(?:examples?|e\.g\.|payloads?|attacks?|attackers?|prompt[ -]injections?|injection attempts?|jailbreaks?|such as|malicious|adversarial|phrases? like|strings? like|patterns?|looks? like|detects?|mitigat\w+|vulnerab\w+|beispiel|angriff\w*|exemple|attaque|ejemplo|ataque)\b/i
const quotes = ['"', "'", '`', '“', '”', '‘', '’', '«', '»', '„', '「', '」']

/** Whether a range is in quotes or code, and the surrounding text or a heading describes it as an attack or example. */
export function isQuotedExample(
  { text, kind, headings }: Part,
  { start, end }: { start: number; end: number },
): boolean {
  const before = text.slice(Math.max(0, start - AROUND), start)
  const after = text.slice(end, end + AROUND)
  const quoted = kind === 'code' || (endsInQuote(before) && startsWithQuote(after))
  if (!quoted) return false
  return (
    spokenOf.test(before) ||
    spokenOf.test(after.slice(0, 80)) ||
    (headings ?? []).some((heading) => spokenOf.test(heading))
  )
}

const endsInQuote = (before: string) =>
  quotes.some((quote) => before.lastIndexOf(quote) >= Math.max(0, before.length - 60))
const startsWithQuote = (after: string) =>
  quotes.some((quote) => {
    const index = after.indexOf(quote)
    return index >= 0 && index <= Math.min(60, MAX_QUOTE_LENGTH)
  })

import type { Part } from '../../documents/document.ts'
import type { PiiMatch } from './match.ts'

const localSign = /[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]/u
const MAX_LOCAL_PART_LENGTH = 64
const domain =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}(?:\p{L}{2,24}|xn--[a-z0-9-]{2,59})(?![\p{L}\p{N}_-]|\.\p{L})/u
const fileEnding =
  /\.(?:png|jpe?g|gif|svg|webp|ico|css|scss|less|js|mjs|cjs|ts|tsx|jsx|json|html?|md|pdf|zip|gz|tgz|exe|dll|so|py|rb|java|php|sh|yml|yaml|xml|txt|csv|log|map|local|internal)$/i
/** `name@4.1.9.Final` is a version of a package. */
const version = /^(?:v?\d+\.)+(?:\d+[.-])?[A-Za-z]+\d*$|^(?:v?\d+\.)/
/** Suffix of guest accounts in a directory. */
const guest = /#ext#?$/i
/** Domains reserved for documentation by RFC 2606 and RFC 6761. */
const reserved =
  /(?:^|\.)(?:example\.(?:com|org|net|edu)|example|test|invalid|localhost|domain\.(?:com|tld)|yourdomain\.com|company\.tld|your-?company\.com|acme\.com|email\.com|foo\.(?:com|bar)|bar\.com)$/i
const machine =
  /^(?:no-?reply|do-?not-?reply|git|noreply|mailer-daemon|postmaster|support|info|hello|security|sales|admin|contact|abuse|webmaster|hostmaster)$/i

/**
 * Email addresses, including Unicode names; without those at documentation domains and similar-looking text.
 */
export function* findEmails(part: Part): Generator<PiiMatch> {
  const { text } = part
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const local = localPartBefore(text, at).replace(/^[^\p{L}\p{N}_]+/u, '')
    const name = local.slice(local.lastIndexOf('/') + 1).replace(/^.*[=|{}`']/, '')
    if (name === '') continue
    const host = domain.exec(text.slice(at + 1, at + 200))?.[0] ?? ''
    if (host === '' || name.endsWith('.') || name.includes('..')) continue
    if (version.test(host) || guest.test(name)) continue
    const start = at - name.length
    const end = at + 1 + host.length
    if (text.charAt(start - 1) === '@' || isAddressOfRepository(text, name, end) || fileEnding.test(host)) continue
    const hidden = reserved.test(host)
    yield {
      type: 'EMAIL',
      start,
      end,
      confidence: hidden ? 0.3 : machine.test(name) ? 0.6 : 0.95,
      severity: machine.test(name) ? 'INFO' : 'LOW',
      identity: `${name}@${host}`.toLowerCase(),
      shown: `${[...name][0] ?? ''}•••@${[...host][0] ?? ''}•••.${toShownEnding(host)}`,
    }
  }
}

/** The last label, unless something else may follow it without a space. */
function toShownEnding(host: string): string {
  const ending = host.slice(host.lastIndexOf('.') + 1)
  return ending.length <= 3 ? ending : '•••'
}

/** `git@host:owner/name` names a repository, `user@host/…` and `name@1.2.x` name a package or a path. */
function isAddressOfRepository(text: string, name: string, end: number): boolean {
  const next = text.charAt(end)
  return (
    (name === 'git' && (next === ':' || next === '/')) ||
    (next === ':' && /^[\w~./-]+\/[\w.-]+\.git\b/.test(text.slice(end + 1, end + 120)))
  )
}

function localPartBefore(text: string, at: number): string {
  let start = at
  while (start > 0 && at - start < MAX_LOCAL_PART_LENGTH && localSign.test(text.charAt(start - 1))) start--
  return text.slice(start, at)
}

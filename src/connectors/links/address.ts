import ipaddr from 'ipaddr.js'

/** IPv6 outside 2000::/3 reaches nobody, or an IPv4 host in disguise; 168.63.129.16 is a cloud's own host. */
export const neverPublic = ['::/3', '4000::/2', '8000::/1', '168.63.129.16/32', '100.100.100.200/32'] as const

const ranges = neverPublic.map((range) => ipaddr.parseCIDR(range))

/** Whether an address belongs to the public internet; what cannot be parsed does not. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  return !ranges.some((range) => parsed.kind() === range[0].kind() && parsed.match(range))
}

const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '')

/** Whether a host name, as `URL.hostname` writes it, is an address and not a name. */
export const isLiteral = (hostname: string) => ipaddr.isValid(bare(hostname))

export const isPublicLiteral = (hostname: string) => isPublicAddress(bare(hostname))

const privateNames = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|private|home\.arpa)\.?$/i

/** Names that only mean something inside a network; a public resolver must not be asked for them. */
export const isPrivateName = (hostname: string) =>
  !hostname.replace(/\.$/, '').includes('.') || privateNames.test(hostname) || /\.onion\.?$/i.test(hostname)

const placeholderHosts = /(?:^|\.)(?:example\.(?:com|org|net|edu)|(?:test|invalid|example))\.?$/i
const placeholderMarks =
  /\{(?![0-9a-f]{8}-)[^}]*\}|<[^>]*>|\$\(|\.\.\.|…|\/\/[^/?#]*\byour-?(?:site|domain|company|tenant|host|org|team)\b/i
const namespaces =
  /^https?:\/\/(?:www\.w3\.org\/(?:1999|2000|2001|2005|XML)\b|schemas\.(?:microsoft\.com|openxmlformats\.org|xmlsoap\.org|android\.com)\/|purl\.org\/(?:dc|rss)\b|ns\.adobe\.com\/)/i

/** Text with a blank to be filled in by the reader. */
export const hasPlaceholder = (written: string) => placeholderMarks.test(written)

/** Hosts that stand for others in documentation, and names of XML vocabularies: nobody expects an answer there. */
export const isPlaceholder = (url: URL) => placeholderHosts.test(url.hostname) || namespaces.test(url.href)

/** The host exactly as an author wrote it, in lower case; undefined where it cannot be told apart. */
function readWrittenHost(written: string): string | undefined {
  const authority = /^\s*[a-z][a-z0-9+.-]*:\/\/(?:[^/?#\\@]*@)?(\[[^\]/?#\\@]*\]|[^/?#\\@:[\]]*)(?=[:/?#]|\s*$)/i.exec(
    written,
  )
  return authority?.[1]?.toLowerCase()
}

const withoutDot = (host: string) => host.replace(/\.$/, '')

/**
 * Whether a link's host is on the list. Compared as written, and again as understood, so that no spelling of one host
 * passes for another.
 */
export function isListedHost(written: string, url: URL, hosts: readonly string[]): boolean {
  const host = readWrittenHost(written)
  if (host === undefined) return false
  return hosts.some((entry) => {
    const listed = entry.includes(':') && !entry.startsWith('[') ? `[${entry}]` : entry
    const address = `http://${listed}/`
    if (listed.toLowerCase() !== host || !URL.canParse(address)) return false
    return withoutDot(new URL(address).hostname) === withoutDot(url.hostname)
  })
}

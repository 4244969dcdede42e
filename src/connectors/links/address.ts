import ipaddr from 'ipaddr.js'

/**
 * IPv6 outside 2000::/3 is not routable or embeds an IPv4 address; 168.63.129.16 and 100.100.100.200 are internal hosts
 * of clouds.
 */
export const neverPublic = ['::/3', '4000::/2', '8000::/1', '168.63.129.16/32', '100.100.100.200/32'] as const

const ranges = neverPublic.map((range) => ipaddr.parseCIDR(range))

/** Whether an address belongs to the public internet; false where it cannot be parsed. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  return !ranges.some((range) => parsed.kind() === range[0].kind() && parsed.match(range))
}

const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '')

/** Whether a host name, in the form of `URL.hostname`, is an IP address. */
export const isLiteral = (hostname: string) => ipaddr.isValid(bare(hostname))

export const isPublicLiteral = (hostname: string) => isPublicAddress(bare(hostname))

const privateNames = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|private|home\.arpa)\.?$/i

/** Names that are only valid inside a network; they must not be sent to a public resolver. */
export const isPrivateName = (hostname: string) =>
  !hostname.replace(/\.$/, '').includes('.') || privateNames.test(hostname) || /\.onion\.?$/i.test(hostname)

const placeholderHosts = /(?:^|\.)(?:example\.(?:com|org|net|edu)|(?:test|invalid|example))\.?$/i
const placeholderMarks =
  /\{(?![0-9a-f]{8}-)[^}]*\}|<[^>]*>|\$\(|\.\.\.|…|\/\/[^/?#]*\byour-?(?:site|domain|company|tenant|host|org|team)\b/i
const namespaces =
  /^https?:\/\/(?:www\.w3\.org\/(?:1999|2000|2001|2005|XML)\b|schemas\.(?:microsoft\.com|openxmlformats\.org|xmlsoap\.org|android\.com)\/|purl\.org\/(?:dc|rss)\b|ns\.adobe\.com\/)/i

/** Whether the text contains a placeholder for the reader to fill in. */
export const hasPlaceholder = (written: string) => placeholderMarks.test(written)

/** Example hosts of documentation, and XML namespaces: no reply is expected from them. */
export const isPlaceholder = (url: URL) => placeholderHosts.test(url.hostname) || namespaces.test(url.href)

/** The host exactly as written, in lower case; undefined where it cannot be determined. */
function readWrittenHost(written: string): string | undefined {
  const authority = /^\s*[a-z][a-z0-9+.-]*:\/\/(?:[^/?#\\@]*@)?(\[[^\]/?#\\@]*\]|[^/?#\\@:[\]]*)(?=[:/?#]|\s*$)/i.exec(
    written,
  )
  return authority?.[1]?.toLowerCase()
}

const withoutDot = (host: string) => host.replace(/\.$/, '')

/**
 * Whether a link's host is on the list. Compared both as written and as parsed, so that an alternative spelling cannot
 * match another host's entry.
 */
export function isListedHost(written: string, url: URL, hosts: readonly string[]): boolean {
  const host = readWrittenHost(written)
  if (host === undefined) return false
  return hosts.some((entry) => {
    const listed = entry.includes(':') && !entry.startsWith('[') ? `[${entry}]` : entry
    const parsed = listed.toLowerCase() === host ? URL.parse(`http://${listed}/`) : null
    return parsed !== null && withoutDot(parsed.hostname) === withoutDot(url.hostname)
  })
}

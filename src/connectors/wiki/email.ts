import { domainToASCII } from 'node:url'
import ipaddr from 'ipaddr.js'

const MAX_LOCAL_BYTES = 64
const MAX_BYTES = 254
const MAX_LABEL_LENGTH = 63

const word = /^[^\s"(),:;<>@[\\\]\p{Cc}]+$/u
const quoted = /^"(?:[^"\\\p{Cc}]|\\[\x20-\x7e])*"$/u
const label = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u

/** Whether a text is a mailbox of RFC 5321, or of RFC 6531 with characters outside of ASCII. */
export function isEmailAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  const [local, domain] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)]
  if (Buffer.byteLength(local) > MAX_LOCAL_BYTES || Buffer.byteLength(text) > MAX_BYTES) return false
  return (quoted.test(local) || local.split('.').every((part) => word.test(part))) && isMailDomain(domain)
}

function isMailDomain(domain: string): boolean {
  const [, six, literal] = /^\[(IPv6:)?([^[\]]*)\]$/i.exec(domain) ?? []
  if (six !== undefined) return ipaddr.IPv6.isValid(literal ?? '')
  if (literal !== undefined) return ipaddr.IPv4.isValidFourPartDecimal(literal)
  if (!domain.split('.').every((part) => label.test(part))) return false
  const ascii = domainToASCII(domain)
  return ascii !== '' && ascii.split('.').every((part) => part.length <= MAX_LABEL_LENGTH)
}

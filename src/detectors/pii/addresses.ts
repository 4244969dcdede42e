import ipaddr from 'ipaddr.js'
import type { Part } from '../../documents/document.ts'
import { type PiiMatch, surroundingsOf } from './context.ts'

const version4 = /(?<![\d.\w-])(?:\d{1,3}\.){3}\d{1,3}(?![\d\w]|\.\d|-\d)/g
const version6 = /(?<![\w:.])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:]|\.\d)/gi
const host =
  /\b(?:ip|ips|ipv[46]|host|hosts|server|servers|addr|address|addresses|node|gateway|dns|client|remote|peer|from|subnet|ping|ssh|firewall|router|adresse)\b/i
const notAnAddress =
  /(?:\b(?:version|versions|release|rev|ver|v|section|sec|chapter|clause|figure|fig|table|oid|appendix|build|rfc|paragraph|abschnitt|kapitel)\.?:?\s?#?|§\s?)$/i
const plainRanges = new Set(['unicast', 'private', 'uniqueLocal', 'carrierGradeNat'])
const documentation =
  /^(?:192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|2001:db8:|1\.1\.1\.1$|8\.8\.[48]\.[48]$|1\.2\.3\.4$|9\.9\.9\.9$|1\.0\.0\.1$)/i

/** IP addresses that can belong to someone: no loopback, broadcast, multicast or documentation ranges, no versions. */
export function* findIpAddresses(part: Part): Generator<PiiMatch> {
  for (const { 0: text, index } of part.text.matchAll(version4)) {
    const octets = text.split('.')
    if (octets.some((octet) => Number(octet) > 255 || (octet.length > 1 && octet.startsWith('0')))) continue
    const { before, label } = surroundingsOf(part, index, index + text.length)
    if (notAnAddress.test(before)) continue
    const named = host.test(before) || host.test(label) || /^[:/]\d/.test(part.text.slice(index + text.length))
    if (octets.every((octet) => Number(octet) < 20) && !named) continue
    const match = toMatch(text, index, named)
    if (match !== undefined) yield match
  }
  for (const { 0: text, index } of part.text.matchAll(version6)) {
    if (text.replace(/[^0-9a-f]/gi, '').length < 6 || !/\d/.test(text)) continue
    if (!text.includes('::') && text.split(':').length !== 8) continue
    const match = toMatch(text, index, true)
    if (match !== undefined) yield match
  }
}

function toMatch(text: string, start: number, named: boolean): PiiMatch | undefined {
  if (!ipaddr.isValid(text) || documentation.test(text)) return undefined
  const address = ipaddr.parse(text)
  const range = address.range()
  if (!plainRanges.has(range)) {
    if (!text.includes(':') || range !== 'unicast') return undefined
  }
  const own = range !== 'unicast'
  return {
    type: 'IP_ADDRESS',
    start,
    end: start + text.length,
    confidence: own ? 0.6 : named ? 0.9 : 0.85,
    severity: own ? 'INFO' : 'LOW',
    identity: address.toNormalizedString(),
    shown: text.includes(':') ? `${text.split(':')[0] ?? ''}:•••` : `${text.split('.').slice(0, 2).join('.')}.•••`,
  }
}

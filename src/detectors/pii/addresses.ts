import ipaddr from 'ipaddr.js'
import type { Part } from '../../documents/document.ts'
import type { PartLabels } from './labels.ts'
import type { PiiMatch } from './match.ts'
import { topicOf } from './topics.ts'

const version4 = /\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}/g
const MAX_VERSION6_LENGTH = 45
const MAX_PATH_DATA = 4_000
const pathAttribute = /\sd=\\?$/
const hosts = [topicOf('IP')]
const versions = [topicOf('VERSION')]
const notAnAddress = /(?:\b(?:v|sec|fig)\.?:?\s?#?|§\s?)$/i
const from = /\b(?:from|von|depuis|desde|från|fra)\s$/i
/** Words that precede versions as often as addresses. */
const preposition =
  /(?:^|[\s(])(?:to|from|auf|von|vers|à|a|de|alla|dalla|da|para|naar|van|do|z|till|från|til|fra|до|с|на|->|→|=>|[<>=~^]=?)\s?$/i
/** The release date after a version. */
const dated = /^\s?[-–(/,]\s{0,2}(?:19|20)\d\d-/
/** `v8@10.2.154.26-node.26`, or one of a list of packages where another has a version of three numbers. */
const packageVersion = /[\w/-]@$/
const threeNumbers = /[\w/-]@\d{1,4}\.\d{1,4}(?:\.\d{1,4})?(?![.\d])/
const MAX_PACKAGE_DISTANCE = 60
/** `10.3.2.1. Structure`: the number of a section at the start of a line. */
const lineStart = /(?:^|\n)[ \t]{0,8}$/
const sectionTitle = /^\.[ \t]{1,4}\p{L}/u
/** `// 23.3.5.1 constructors`, `[22.2.5.4]`: the section of a standard in a comment. */
const sectionBefore = /(?:^|\n)[ \t]{0,8}(?:\/\/{1,2}|\*|#|%|;)[ \t]{0,4}$|\[$/
const MAX_SECTION = 32
/** `setuptools ==67.2.0.1` */
const requirement = /[<>=~!^]=\s?$/
/** `XFree86 4.3.99.16`, `requests in 1.6.4.3`: in a sentence, a low version unless a label is right before it. */
const inSentence = /[\p{L}\p{N}_)]\s$/u
const inRelease = /\b(?:in|since|before|until|after|seit|depuis|desde|dal)\s$/i
const lowVersion = /^\d\.\d\./
/** `+++ find.c\t22 Apr 2007 16:57:42 -0000\t1.58.2.2`: the revision in the head of a diff. */
const diffHead = /^(?:\+\+\+|---|\*\*\*) \S/
const MAX_DIFF_HEAD = 200
/** `What's new in name 2.39.90.1`, `* name-2 4.5.90.1:`: the heading of a list of changes. */
const news = /\b(?:new in|changes (?:in|between|since)|news for|released?)(?: \S{1,40}){0,2} $/i
const NEWS_REACH = 100
/** A range of private addresses belongs to a network, not to a person. */
const privateNetwork = /\.0$/
const prefixLength = /^\/\d/
/** The first number of a version is seldom higher. */
const MAX_MAJOR = 31
const plainRanges = new Set(['unicast', 'private', 'uniqueLocal', 'carrierGradeNat'])
const documentation =
  /^(?:192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|2001:db8:|1\.1\.1\.1$|8\.8\.[48]\.[48]$|1\.2\.3\.4$|9\.9\.9\.9$|1\.0\.0\.1$|2606:4700:4700::1[01]|2001:4860:4860::88|2620:fe::)/i

/** IP addresses that can belong to someone: no loopback, broadcast, multicast or documentation ranges, no versions. */
export function* findIpAddresses(part: Part, labels: PartLabels): Generator<PiiMatch> {
  for (const { 0: text, index } of part.text.matchAll(version4)) {
    const end = index + text.length
    if (isGlued(part.text, index, end)) continue
    if (isInPathData(part.text, index)) continue
    const octets = text.split('.')
    if (octets.some((octet) => Number(octet) > 255 || (octet.length > 1 && octet.startsWith('0')))) continue
    const before = part.text.slice(Math.max(0, index - 12), index)
    if (notAnAddress.test(before) || dated.test(part.text.slice(end, end + 16))) continue
    if (packageVersion.test(before) && isPackageVersion(part.text, index, end)) continue
    const isHost = isNamed(part.text, labels, index, end)
    const named = isHost || from.test(before)
    const version = labels.relate(versions, index, end)
    if (version !== undefined && version !== 'other') continue
    const major = Number(octets[0])
    const isPrivate = major === 10 || text.startsWith('192.168.') || text.startsWith('172.')
    if (!named && !isPrivate && octets.every((octet) => Number(octet) < 20)) continue
    if (!isHost && !isPrivate && major <= MAX_MAJOR && preposition.test(before)) continue
    if (!isHost && requirement.test(before)) continue
    if (!named && !isPrivate && sectionBefore.test(before) && octets.every((octet) => Number(octet) < MAX_SECTION))
      continue
    if (lineStart.test(before) && sectionTitle.test(part.text.slice(end, end + 8))) continue
    if (!isPrivate && lowVersion.test(text) && isRelease(before, () => labels.names(hosts, index, end))) continue
    if (!isHost && !isPrivate && news.test(part.text.slice(Math.max(0, index - NEWS_REACH), index))) continue
    if (isPrivate && privateNetwork.test(text) && prefixLength.test(part.text.slice(end, end + 2))) continue
    if (major <= MAX_MAJOR && isInDiffHead(part.text, index)) continue
    const match = toMatch(text, index, named)
    if (match !== undefined) yield match
  }
  for (const { text, start } of colonRuns(part.text)) {
    if (text.replace(/[^0-9a-f]/gi, '').length < 6 || !/\d/.test(text)) continue
    if (!text.includes('::') && text.split(':').length !== 8) continue
    const match = isInPathData(part.text, start) ? undefined : toMatch(text, start, true)
    if (match !== undefined) yield match
  }
}

function isInDiffHead(text: string, at: number): boolean {
  const reach = Math.max(0, at - MAX_DIFF_HEAD)
  return diffHead.test(text.slice(reach + text.slice(reach, at).lastIndexOf('\n') + 1, at).trimStart())
}

const isRelease = (before: string, isLabelled: () => boolean) =>
  inRelease.test(before) || (inSentence.test(before) && !isLabelled())

function isPackageVersion(text: string, start: number, end: number): boolean {
  const around = text.slice(Math.max(0, start - MAX_PACKAGE_DISTANCE), end + MAX_PACKAGE_DISTANCE)
  return /^-[a-z]/.test(text.slice(end, end + 2)) || threeNumbers.test(around)
}

function isNamed(text: string, labels: PartLabels, start: number, end: number): boolean {
  const relation = labels.relate(hosts, start, end)
  return (relation !== undefined && relation !== 'other') || /^[:/]\d/.test(text.slice(end, end + 2))
}

/** Whether an offset is inside the attribute `d` of an SVG path, where numbers follow each other as `.2.1.55`. */
function isInPathData(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - MAX_PATH_DATA), at)
  const quote = Math.max(before.lastIndexOf('"'), before.lastIndexOf("'"))
  return quote > 2 && pathAttribute.test(before.slice(Math.max(0, quote - 4), quote))
}

/** Whether the range is part of a longer number, a name or a version. */
function isGlued(text: string, start: number, end: number): boolean {
  return (
    /[\w.-]$/.test(text.slice(Math.max(0, start - 1), start)) || /^(?:\w|\.[\da-z]|-\d)/.test(text.slice(end, end + 2))
  )
}

const isHexOrColon = (code: number) =>
  (code >= 48 && code <= 58) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102)

/** Separate runs of hexadecimal digits and colons with at least two colons. */
function* colonRuns(text: string): Generator<{ text: string; start: number }> {
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) {
    // A run with two colons has one of these characters behind its first colon.
    if (!isHexOrColon(text.charCodeAt(at + 1))) continue
    let start = at
    let end = at + 1
    while (start > 0 && at - start < 5 && isHexOrColon(text.charCodeAt(start - 1))) start--
    while (end < text.length && isHexOrColon(text.charCodeAt(end))) end++
    const run = text.slice(start, Math.min(end, start + MAX_VERSION6_LENGTH + 1))
    if (run.length <= MAX_VERSION6_LENGTH && run.indexOf(':') !== run.lastIndexOf(':')) {
      const glued =
        /[\w:.]$/.test(text.slice(Math.max(0, start - 1), start)) || /^(?:\w|\.\d)/.test(text.slice(end, end + 2))
      if (!glued) yield { text: run, start }
    }
    at = Math.max(at, end - 1)
  }
}

function toMatch(text: string, start: number, named: boolean): PiiMatch | undefined {
  if (!ipaddr.isValid(text) || documentation.test(text)) return undefined
  const address = ipaddr.parse(text)
  const range = address.range()
  if (!plainRanges.has(range)) return undefined
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

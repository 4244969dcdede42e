import { BlockList, isIP } from 'node:net'
import { isLoopbackHost } from './loopback.ts'

/** As in `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`: the first two apply to requests to addresses of that scheme. */
export interface ProxySettings {
  https?: string | undefined
  http?: string | undefined
  no?: string | undefined
}

export interface ForwardProxy {
  /** Host and port. */
  place: string
  /** With user name and password, so it must never be shown. */
  address: string
}

const variables = { https: 'HTTPS_PROXY', http: 'HTTP_PROXY', no: 'NO_PROXY' } as const
export type ProxyMember = keyof typeof variables
export const nameVariable = (member: ProxyMember): string => variables[member]

/** Of two spellings the lower-case one counts, as in other programs; an empty variable is not set. */
export function readProxyVariables(env: Readonly<Record<string, string | undefined>>): ProxySettings {
  const set = Object.entries(variables).flatMap(([member, name]) => {
    const value = [env[name.toLowerCase()], env[name]].find((each) => each?.trim())
    return value === undefined ? [] : [[member, value.trim()]]
  })
  return Object.fromEntries(set)
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Parses the address of a proxy; a string is what is wrong with it, as the end of a sentence about it. */
export function toProxy(written: string): ForwardProxy | string {
  const text = written.trim()
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = URL.canParse(full) ? new URL(full) : undefined
  if (url !== undefined && !/^https?:$/.test(url.protocol)) {
    return 'must begin with http:// or https://; proxies of other kinds, such as SOCKS, are not supported.'
  }
  const isWhole = url !== undefined && /^\/?$/.test(url.pathname) && url.search === '' && url.hash === ''
  if (!isWhole || !isDecodable(url.username) || !isDecodable(url.password)) {
    return 'must be an address such as http://proxy.example.com:3128; special characters of a user name or password in it are percent-encoded, such as %40 for @.'
  }
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return { place: `${url.hostname}:${port}`, address: url.href }
}

type Matches = (host: string, port: string) => boolean

const withoutDot = (host: string) => host.replace(/\.$/, '')

/** Which hosts an entry of `NO_PROXY` means; undefined where that cannot be understood. */
function toMatcher(entry: string): Matches | undefined {
  if (entry === '*') return () => true
  const text = entry.replace(/^https?:\/\//i, '').replace(/\/$/, '')
  const [, network = '', bits = ''] = /^\[?([\d.]+|[\da-f:.]+)\]?\/(\d{1,3})$/i.exec(text) ?? []
  if (network !== '') return toNetworkMatcher(network, Number(bits))
  const [, name = '', port] = isIP(text) === 6 ? ['', `[${text}]`] : (/^(.+?)(?::(\d{1,5}))?$/.exec(text) ?? [])
  const plain = name.replace(/^\*?\./, '')
  const isHost = !/[*/\\?#@]/.test(plain) && URL.canParse(`http://${plain}:${port ?? 0}`)
  if (!isHost) return undefined
  const listed = withoutDot(new URL(`http://${plain}`).hostname)
  return (host, ofHost) =>
    (host === listed || host.endsWith(`.${listed}`)) && (port === undefined || Number(port) === Number(ofHost))
}

function toNetworkMatcher(network: string, bits: number): Matches | undefined {
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4'
  const list = new BlockList()
  try {
    list.addSubnet(network, bits, family)
  } catch {
    return undefined
  }
  return (host) => {
    const address = host.replace(/^\[|\]$/g, '')
    const version = isIP(address)
    return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4')
  }
}

const listEntries = (no = '') => no.split(/[\s,]+/).filter((entry) => entry !== '')

/** The entries of `NO_PROXY` that cannot be understood, which therefore mean no host. */
export const listUnclear = (no: string | undefined): string[] =>
  listEntries(no).filter((entry) => toMatcher(entry) === undefined)

function compile(settings: ProxySettings) {
  return { settings, exempt: listEntries(settings.no).flatMap((entry) => toMatcher(entry) ?? []) }
}

let current = compile({})

/** Sets the proxies of all further requests of this thread. */
export function useProxies(settings: ProxySettings): void {
  current = compile(settings)
}

export const getProxySettings = (): ProxySettings => current.settings

/**
 * The proxy through which a URL is requested, or why the setting that names it cannot be used; undefined where it is
 * requested directly, as this computer always is.
 */
export function findProxy(url: URL): ForwardProxy | { problem: string } | undefined {
  const scheme = url.protocol === 'https:' ? 'https' : 'http'
  const written = current.settings[scheme]
  const host = withoutDot(url.hostname)
  const port = url.port || (scheme === 'https' ? '443' : '80')
  if (written === undefined || isLoopbackHost(host) || current.exempt.some((matches) => matches(host, port))) {
    return undefined
  }
  const proxy = toProxy(written)
  return typeof proxy === 'string' ? { problem: `${nameVariable(scheme)} ${proxy}` } : proxy
}

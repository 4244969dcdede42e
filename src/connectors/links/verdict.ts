import type { Severity } from '../../detectors/detector.ts'
import type { ExchangeError } from '../http/exchange.ts'
import { NOT_PUBLIC } from './guard.ts'

/**
 * Result of checking a link. `broken` has a finding type; `blocked`: the host rejects automated requests, which says
 * nothing about readers; `unsure`: no conclusive reply this time; `skipped`: not requested.
 */
export interface LinkVerdict {
  state: 'ok' | 'broken' | 'unsure' | 'blocked' | 'skipped'
  findingType?: string
  severity?: Severity
  confidence?: number
  status?: number
  /** snake_case, explains the state. */
  reason: string
}

export function broken(
  findingType: string,
  severity: Severity,
  confidence: number,
  reason: string,
  status?: number,
): LinkVerdict {
  return { state: 'broken', findingType, severity, confidence, reason, ...(status === undefined ? {} : { status }) }
}

const turnedAway = [401, 402, 403, 405, 406, 407, 429, 451, 999]
const challenge =
  /cf-challenge|cf-browser-verification|cf_chl_|challenge-platform|just a moment\.\.\.|attention required!|_incapsula_resource|px-captcha|g-recaptcha|h-captcha|captcha-delivery|ddos protection by|checking your browser|enable javascript and cookies/i

/** Whether a reply is a bot challenge (CAPTCHA). */
function isChallenge(status: number, headers: Record<string, string>, body: string): boolean {
  if (headers['cf-mitigated'] !== undefined) return true
  return [403, 429, 503].includes(status) && challenge.test(body)
}

/**
 * The verdict on a final status; redirects have been followed before.
 * @param relayed whether a proxy may have answered for the host
 */
export function judgeStatus(
  status: number,
  headers: Record<string, string>,
  body: string,
  relayed: boolean,
): LinkVerdict {
  if (status >= 200 && status <= 299) return { state: 'ok', reason: 'answered', status }
  if (isChallenge(status, headers, body)) return { state: 'blocked', reason: 'challenge', status }
  if (turnedAway.includes(status)) return { state: 'blocked', reason: 'turned_away', status }
  if (relayed && [502, 503, 504].includes(status)) return { state: 'unsure', reason: 'proxy', status }
  if (status === 404) return broken('HTTP_404', 'MEDIUM', 0.95, 'not_found', status)
  if (status === 410) return broken('HTTP_410', 'MEDIUM', 0.98, 'gone', status)
  if (status >= 500 && status <= 599) return broken('HTTP_5XX', 'LOW', 0.6, 'server_error', status)
  if (status >= 400 && status <= 499) return broken('HTTP_4XX', 'LOW', 0.7, 'refused', status)
  if (status === 304) return { state: 'ok', reason: 'answered', status }
  return broken('BAD_REPLY', 'LOW', 0.6, 'no_http_answer', status)
}

const tlsCodes = /^(?:CERT_|ERR_TLS_|ERR_SSL_|EPROTO$|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/
/** Errors that this computer's own network may have caused. */
const ownFaults = [
  'EAI_AGAIN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENOBUFS',
  'EAI_FAIL',
  'EAI_MEMORY',
]

/** The verdict on a request without a reply. */
export function judgeFault({ kind, code }: ExchangeError): LinkVerdict {
  if (code === NOT_PUBLIC) return { state: 'skipped', reason: 'private_address' }
  if (kind === 'proxy') return { state: 'unsure', reason: 'proxy' }
  if (kind === 'aborted') return { state: 'unsure', reason: 'stopped' }
  if (kind === 'timeout' || code === 'ETIMEDOUT') return broken('TIMEOUT', 'LOW', 0.6, 'timeout')
  if (['ENOTFOUND', 'ENODATA', 'EAI_NODATA', 'EAI_NONAME'].includes(code)) {
    return broken('HOST_NOT_FOUND', 'MEDIUM', 0.9, 'host_not_found')
  }
  if (code === 'ECONNREFUSED') return broken('CONNECTION_REFUSED', 'MEDIUM', 0.8, 'connection_refused')
  if (ownFaults.includes(code)) return { state: 'unsure', reason: 'network' }
  if (tlsCodes.test(code)) return broken('TLS_ERROR', 'LOW', 0.7, 'certificate')
  if (code.startsWith('HPE_')) return broken('BAD_REPLY', 'LOW', 0.6, 'no_http_answer')
  return broken('CONNECTION_FAILED', 'LOW', 0.7, 'connection_failed')
}

const secretKeys =
  /("(?:[^"\\]|\\.)*(?:password|passwd|secret|token|authorization|api[-_]?key|cookie|credential)[^"\\]*"\s*:\s*)"(?:[^"\\]|\\.)*"/gi
const authorization = /\b(Basic|Bearer)\s+[\w.~+/=-]{8,}/gi
const userinfo = /([a-z][a-z0-9+.-]*:\/\/)[^\s/@"'\\]+@/gi
const tokenLikeQuery =
  /([?&;](?:[\w.-]*(?:token|secret|password|passwd|pwd|signature|sig|api[-_]?key|access[-_]?key|code|auth|session|jwt)[\w.-]*)=)[^&#\s"'\\]+/gi
const vendorToken =
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|sk_live_|rk_live_|sk-ant-|npm_|hf_|ATATT|assay_)[\w-]{12,}/g
const jwt = /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g

export const MASK = '********'

/** Takes credentials out of a line that is about to leave: headers, addresses, keyed JSON members, known token shapes. */
export function scrub(line: string): string {
  return line
    .replace(secretKeys, `$1"${MASK}"`)
    .replace(authorization, `$1 ${MASK}`)
    .replace(userinfo, `$1${MASK}@`)
    .replace(tokenLikeQuery, `$1${MASK}`)
    .replace(jwt, MASK)
    .replace(vendorToken, MASK)
}

/** An address as it may be shown: without credentials, and with the values of token-like parameters masked. */
export function maskUrl(url: string): string {
  return url.replace(userinfo, `$1${MASK}@`).replace(tokenLikeQuery, `$1${MASK}`)
}

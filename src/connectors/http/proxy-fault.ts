import type { ForwardProxy } from './proxy.ts'

/** What to do about a certificate of an authority that is not known. */
export const ADD_AUTHORITY =
  'if a proxy opens TLS, add the certificate of its authority to those of the system, or name its file in NODE_EXTRA_CA_CERTS'

/** Whether a certificate is of an authority that is not known. */
export const isUnknownAuthority = (code: string) => /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/.test(code)

const hasCredentials = ({ address }: ForwardProxy) => {
  const { username, password } = new URL(address)
  return username !== '' || password !== ''
}

/**
 * Describes the answer of a proxy in place of a connection.
 * @param status undefined where it was not HTTP
 */
export function describeProxyStatus(proxy: ForwardProxy, status: number | undefined): string {
  const by = `the proxy ${proxy.place}`
  if (status === 407) {
    return hasCredentials(proxy)
      ? `${by} does not accept the user name and password in its address (407); correct them`
      : `${by} requires a user name and password (407); write them into its address, as in http://user:password@host:port`
  }
  if (status !== undefined && status >= 400 && status < 500) {
    return `${by} does not allow connections to this host (${status}); ask its operator to allow them`
  }
  if (status !== undefined && status >= 500) {
    return `${by} could not connect to this host (${status}); check the address, or ask the operator of the proxy`
  }
  return `${by} did not answer as a proxy does${status === undefined ? '' : ` (${status})`}; check its address`
}

/**
 * Why a proxy, or perhaps the host behind it, gave no connection.
 * @param code system error code
 * @param hasOpened whether the proxy is known to have opened the tunnel
 */
export function findProxyFault(
  proxy: ForwardProxy,
  code: string,
  cause: unknown,
  hasOpened: boolean,
): { code: string; message: string } {
  const { syscall, statusCode } = (cause ?? {}) as { syscall?: unknown; statusCode?: unknown }
  const by = `the proxy ${proxy.place}`
  if (typeof statusCode === 'number') {
    const status = Number.isNaN(statusCode) ? undefined : statusCode
    return { code: status === undefined ? 'EPROTO' : `HTTP_${status}`, message: describeProxyStatus(proxy, status) }
  }
  if (syscall === 'connect' || syscall === 'getaddrinfo') {
    const what = code === 'ECONNREFUSED' ? 'refused the connection' : 'could not be reached'
    return { code, message: `${by} ${what} (${code}); check its address and that it runs` }
  }
  if (code === 'ETIMEDOUT') {
    return { code, message: `no reply came through ${by} in time; try again, or ask its operator` }
  }
  const certificate = hasOpened ? `the certificate that came through ${by}` : `the certificate of ${by}`
  if (isUnknownAuthority(code)) return { code, message: `${certificate} is not trusted (${code}); ${ADD_AUTHORITY}` }
  if (/^(?:CERT_|ERR_TLS_CERT_)/.test(code)) {
    return {
      code,
      message: `${certificate} is not valid (${code}); check the address, or ask the operator of the proxy`,
    }
  }
  const checks = 'check its address, and whether that begins with http:// or https://'
  if (code === 'ERR_PROXY_TUNNEL' || code === 'ECONNRESET') {
    const message = hasOpened
      ? `the connection to this host through ${by} was closed; try again, or ask the operator of the proxy`
      : `${by} closed the connection; ${checks}`
    return { code: 'ECONNRESET', message }
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    const message = hasOpened
      ? `something other than TLS came through ${by}; check the address of this host, or ask the operator of the proxy`
      : `${by} answered with something other than TLS; ${checks}`
    return { code: 'EPROTO', message }
  }
  return { code, message: `no usable reply came through ${by} (${code}); try again, or ask its operator` }
}

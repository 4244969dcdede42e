/** The most of a Cookie header that servers accept. */
const MAX_HEADER_LENGTH = 8_000

/** The cookies that hosts set along one chain of redirects; each is returned only to the host that set it. */
export class ChainCookies {
  readonly #hosts = new Map<string, Map<string, string>>()

  /** Takes the Set-Cookie headers of a reply, one on each line, as in RFC 6265, section 5. */
  take({ host }: URL, setCookie: string | undefined, now: number): void {
    for (const line of setCookie?.split('\n') ?? []) {
      const [pair = '', ...attributes] = line.split(';')
      const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? []
      if (name === '') continue
      const cookies = this.#hosts.get(host) ?? new Map<string, string>()
      this.#hosts.set(host, cookies)
      if (isExpired(attributes, now)) cookies.delete(name)
      else cookies.set(name, value)
    }
  }

  /** The Cookie header for a request to a host; empty where it set none. */
  toHeader({ host }: URL): string {
    const header = [...(this.#hosts.get(host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
    return header.length > MAX_HEADER_LENGTH ? '' : header
  }
}

function isExpired(attributes: readonly string[], now: number): boolean {
  const find = (name: string) =>
    attributes.flatMap((attribute) => {
      const [key = '', ...value] = attribute.split('=')
      return key.trim().toLowerCase() === name ? value.join('=').trim() : []
    })
  const age = find('max-age').at(-1)
  if (age !== undefined && /^-?\d+$/.test(age)) return Number(age) <= 0
  return Date.parse(find('expires').at(-1) ?? '') <= now
}

/** Handlers by method and path, such as `GET /spaces/{id}/pages`; `{name}` matches one segment. */
export type Routes<H> = Readonly<Record<string, H>>

export interface RouteMatch<H> {
  handle: H
  params: Record<string, string>
}

/** Finds the handler of a request. */
export function createRouter<H>(routes: Routes<H>) {
  const compiled = Object.entries(routes).map(([name, handle]) => {
    const [method = '', path = ''] = name.split(' ')
    const pattern = path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')
    return { method, pattern: new RegExp(`^${pattern}$`), handle }
  })

  return function find(method: string, path: string): RouteMatch<H> | undefined {
    for (const route of compiled) {
      if (route.method !== method && !(method === 'HEAD' && route.method === 'GET')) continue
      const found = route.pattern.exec(path)
      if (found === null) continue
      const params = Object.entries(found.groups ?? {}).map(([name, text]) => [name, decodeURIComponent(text)])
      return { handle: route.handle, params: Object.fromEntries(params) }
    }
    return undefined
  }
}

/** The values of a list parameter, repeated or separated by commas; undefined where it is absent. */
export function readList(query: URLSearchParams, name: string): string[] | undefined {
  if (!query.has(name)) return undefined
  return query
    .getAll(name)
    .flatMap((value) => value.split(','))
    .filter((value) => value !== '')
}

/** The body of a request; undefined where it is not an object in JSON. */
export function readJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Allowed values of a query parameter. `list` accepts both repeated parameters and comma-separated values. */
export interface ParameterRule {
  type: 'integer' | 'boolean' | 'text'
  list?: true
  values?: readonly string[]
  min?: number
  max?: number
  maxItems?: number
  required?: true
}

export type Parameters = Readonly<Record<string, ParameterRule>>

/**
 * A route of the contract: `{name}` in the path matches one segment; `ids` has the pattern of segments that must be
 * numbers or GUIDs.
 */
export interface SampleRoute {
  method: 'GET' | 'POST'
  path: string
  query: Parameters
  ids?: Readonly<Record<string, RegExp>>
}

export const text: ParameterRule = { type: 'text' }
export const flag: ParameterRule = { type: 'boolean' }
export const integer: ParameterRule = { type: 'integer' }
export const oneOf = (...values: string[]): ParameterRule => ({ type: 'text', values })
export const listOf = (...values: string[]): ParameterRule => ({ type: 'text', list: true, values })
export const texts: ParameterRule = { type: 'text', list: true }

export interface RouteMatch<R extends SampleRoute> {
  route: R
  params: Record<string, string>
}

/** Finds the route of a path; validation of its parameters is separate, see `findProblem`. */
export function createRouter<R extends SampleRoute>(routes: readonly R[]) {
  const compiled = routes.map((route) => ({ route, segments: route.path.split('/') }))

  return function find(method: string, path: string): RouteMatch<R> | undefined {
    const parts = path.split('/')
    for (const { route, segments } of compiled) {
      if (route.method !== method && !(method === 'HEAD' && route.method === 'GET')) continue
      if (segments.length !== parts.length) continue
      const params: Record<string, string> = {}
      const fits = segments.every((segment, index) => {
        const part = parts[index] ?? ''
        if (!segment.startsWith('{')) return segment === part
        params[segment.slice(1, -1)] = decodeURIComponent(part)
        return part !== ''
      })
      if (fits) return { route, params }
    }
    return undefined
  }
}

const split = (values: readonly string[]) => values.flatMap((value) => value.split(',')).filter((value) => value !== '')

function findValueProblem(name: string, value: string, rule: ParameterRule): string | undefined {
  if (rule.type === 'boolean' && !/^(?:true|false)$/i.test(value)) return `${name} must be true or false`
  if (rule.type === 'integer' && !/^\d{1,19}$/.test(value)) return `${name} must be a number`
  if (rule.values !== undefined && !rule.values.includes(value))
    return `${name} must be one of ${rule.values.join(', ')}`
  if (rule.min !== undefined && Number(value) < rule.min) return `${name} must be at least ${rule.min}`
  if (rule.max !== undefined && Number(value) > rule.max) return `${name} must be at most ${rule.max}`
  return undefined
}

/** Why a request violates the contract, for example by an unknown parameter; undefined where it is valid. */
export function findProblem({ route, params }: RouteMatch<SampleRoute>, query: URLSearchParams): string | undefined {
  for (const [name, pattern] of Object.entries(route.ids ?? {})) {
    if (!pattern.test(params[name] ?? '')) return `${name} in the path has the wrong form`
  }
  for (const name of new Set(query.keys())) {
    const rule = route.query[name]
    if (rule === undefined) return `unknown parameter ${name}`
    const given = query.getAll(name)
    const values = rule.list === true ? split(given) : given
    if (rule.list !== true && values.length > 1) return `${name} is given twice`
    if (rule.maxItems !== undefined && values.length > rule.maxItems)
      return `${name} has more than ${rule.maxItems} values`
    for (const value of values) {
      const problem = findValueProblem(name, value, rule)
      if (problem !== undefined) return problem
    }
  }
  for (const [name, rule] of Object.entries(route.query)) {
    if (rule.required === true && !query.has(name)) return `${name} is missing`
  }
  return undefined
}

/** The values of a list parameter; undefined where it is absent. */
export function readList(query: URLSearchParams, name: string): string[] | undefined {
  return query.has(name) ? split(query.getAll(name)) : undefined
}

import { BadRequest } from './server.ts'

export type ParameterType = 'integer' | 'string' | 'list' | 'flag'
/** The query parameters that an endpoint of the platform's contract has. */
export type Parameters = Readonly<Record<string, ParameterType>>

/** Refuses any parameter that the contract does not list, so that a misspelt one fails a test instead of being ignored. */
export function checkParameters(query: URLSearchParams, allowed: Parameters): void {
  for (const [name, value] of query) {
    const type = allowed[name]
    if (type === undefined) throw new BadRequest(`unknown parameter ${name}`)
    if (type === 'integer' && !/^\d+$/.test(value)) throw new BadRequest(`${name} must be a whole number`)
    if (type === 'flag' && !/^(true|false)?$/i.test(value)) throw new BadRequest(`${name} must be true or false`)
  }
}

/** The values of a list parameter: repeated, comma-separated or both. */
export function readList(query: URLSearchParams, name: string): string[] | undefined {
  const values = query.getAll(name).flatMap((value) => value.split(','))
  return values.length === 0 ? undefined : values
}

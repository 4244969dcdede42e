/** A member of nested settings or of a definition, by its path. */
export interface FlatMember {
  path: string
  text: string
}

/** Every scalar of a value with its path, in order; a list of scalars is one member. */
export function flatten(value: unknown, path = ''): FlatMember[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) {
    if (value.every((each) => typeof each !== 'object')) {
      return value.length === 0 ? [] : [{ path, text: value.map(String).join(', ') }]
    }
    return value.flatMap((each, index) => flatten(each, `${path} ${index + 1}`))
  }
  if (typeof value === 'object') {
    return Object.entries(value).flatMap(([key, each]) => flatten(each, path === '' ? key : `${path}.${key}`))
  }
  return [{ path, text: String(value) }]
}

export interface ComparedMember {
  path: string
  before: string | undefined
  after: string | undefined
}

/** The members of two values beside each other, in the order of the later one. */
export function compare(before: unknown, after: unknown): ComparedMember[] {
  const [earlier, later] = [before, after].map((value) => new Map(flatten(value).map(({ path, text }) => [path, text])))
  const paths = new Set([...(later?.keys() ?? []), ...(earlier?.keys() ?? [])])
  return [...paths].map((path) => ({ path, before: earlier?.get(path), after: later?.get(path) }))
}

/** The words of a member's path: `required.base_url` as `base url`, `numerator.timeField` as `numerator › time field`. */
export function toPathText(path: string): string {
  return path
    .split('.')
    .filter((part) => !['required', 'masked', 'optional', 'definition'].includes(part))
    .map((part) =>
      part
        .replaceAll('_', ' ')
        .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
        .toLowerCase(),
    )
    .join(' › ')
}

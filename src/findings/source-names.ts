import { AppError, joinPath } from '../kernel/errors.ts'
import { quote, showNames } from '../kernel/shown.ts'
import { closest } from '../kernel/suggest.ts'
import type { Reader } from '../store/store.ts'
import type { FilterMapping } from './filter.ts'
import { listUnknownSources } from './source-names.store.ts'

/**
 * Requires that a filter names only sources that exist; `path` is the position of the filter in the input.
 * @throws AppError `not_found` with the closest names.
 */
export function requireSources(reader: Reader, filters: FilterMapping | undefined, path: string): void {
  const named = [
    ...(filters?.sources ?? []).map((name, index) => ({ name, path: joinPath(path, `sources[${index}]`) })),
    ...(filters?.exclude?.sources ?? []).map((name, index) => ({
      name,
      path: joinPath(path, `exclude.sources[${index}]`),
    })),
  ]
  const { unknown, known } = listUnknownSources(
    reader,
    named.map(({ name }) => name),
  )
  if (unknown.length === 0) return
  const issues = named.filter(({ name }) => unknown.includes(name))
  const [first] = unknown
  const near = closest(first ?? '', known, (name) => name, 5)
  const all = near.length > 0 ? near : known.slice(0, 5)
  const are = near.length > 0 ? 'the closest are' : all.length < known.length ? 'some of them are' : 'the sources are'
  const hint = all.length === 0 ? 'no source is registered yet.' : `${are} ${showNames(all)}.`
  throw new AppError('not_found', `No source is called ${quote(first ?? '')}; ${hint}`, {
    reason: 'unknown_source',
    issues: issues.map(({ path, name }) => ({ path, message: `no source is called ${quote(name)}.` })),
    suggestions: all.map((value) => ({ value, kind: 'source' })),
  })
}

import { useEffect, useState } from 'preact/hooks'
import type { State } from './model.ts'

export type { State } from './model.ts'

/** Where the user is: the page, the name below it, and the state, which is all in the address. */
export interface Route {
  page: string
  name: string | undefined
  state: State
}

const ROOT = '/console/'

export function parseRoute(path: string, search: string): Route {
  const [page = '', ...rest] = path.startsWith(ROOT) ? path.slice(ROOT.length).split('/') : []
  const name = rest.join('/')
  const query = new URLSearchParams(search)
  const state: Record<string, readonly string[]> = {}
  for (const key of new Set(query.keys())) {
    const given = query.getAll(key)
    // One value is a list with commas; a value that has a comma itself is repeated.
    const values = given.length === 1 ? (given[0] ?? '').split(',') : given
    const known = [...new Set(values)].filter((value) => value !== '')
    if (known.length > 0) state[key] = known
  }
  return { page, name: name === '' ? undefined : decode(name), state }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function formatRoute({ page, name, state }: { page: string; name?: string | undefined; state?: State }): string {
  const query = Object.entries(state ?? {})
    .filter(([, values]) => values.length > 0)
    .map(([key, values]) => {
      const hasComma = values.some((value) => value.includes(','))
      const texts = values.map(encodeURIComponent)
      if (!hasComma) return `${encodeURIComponent(key)}=${texts.join(',')}`
      const repeated = texts.length === 1 ? [...texts, ...texts] : texts
      return repeated.map((text) => `${encodeURIComponent(key)}=${text}`).join('&')
    })
    .join('&')
  const path = name === undefined ? page : `${page}/${encodeURIComponent(name)}`
  return `${ROOT}${path}${query === '' ? '' : `?${query}`}`
}

export const readRoute = (): Route => parseRoute(location.pathname, location.search)

const CHANGED = 'assay:route'

/** Opens an address of the console; `replace` leaves no entry to go back to. */
export function go(address: string, replace = false): void {
  if (address === location.pathname + location.search) return
  history[replace ? 'replaceState' : 'pushState'](null, '', address)
  dispatchEvent(new Event(CHANGED))
}

export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute)
  useEffect(() => {
    const update = () => setRoute(readRoute())
    addEventListener('popstate', update)
    addEventListener(CHANGED, update)
    return () => {
      removeEventListener('popstate', update)
      removeEventListener(CHANGED, update)
    }
  }, [])
  return route
}

/** A change of the state under the same page; undefined or an empty list removes a key. */
export function changeState(
  { page, name, state }: Route,
  change: Readonly<Record<string, readonly string[] | undefined>>,
): string {
  const next = { ...state, ...change }
  const kept = Object.fromEntries(
    Object.entries(next).flatMap(([key, values]) => (values?.length ? [[key, values]] : [])),
  )
  return formatRoute({ page, name, state: kept })
}

/** The state with a value of a key added, or removed where it is there. */
export function toggleValue(route: Route, key: string, value: string): string {
  const values = route.state[key] ?? []
  const next = values.includes(value) ? values.filter((each) => each !== value) : [...values, value]
  return changeState(route, { [key]: next })
}

import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { listUnclear, nameVariable, readProxyVariables, toProxy } from '../connectors/http/proxy.ts'
import { invalidInput } from '../kernel/errors.ts'
import { makeFolder } from '../runtime/make-folder.ts'
import { writeWhole } from '../runtime/regular-file.ts'
import { changesNothing, planChange, type SettingsChange } from './change.ts'

export interface ProxyChange extends SettingsChange {
  /** Host and port of each proxy. */
  places: string[]
  hasCredentials: boolean
}

/**
 * Plans to copy the proxies of a shell into the valid or absent `config.json` of a data folder, for processes that are
 * started without its variables; undefined where there is nothing to change.
 * @throws AppError `invalid_input` for a variable that does not name a proxy
 */
export function planProxySetting(
  findHome: () => string,
  env: Readonly<Record<string, string | undefined>>,
): ProxyChange | undefined {
  const { no, ...set } = readProxyVariables(env)
  const proxies = (['https', 'http'] as const).flatMap((scheme) => {
    const proxy = set[scheme] === undefined ? [] : toProxy(set[scheme])
    if (typeof proxy === 'string') throw invalidInput(`${nameVariable(scheme)} ${proxy}`)
    return proxy
  })
  if (proxies.length === 0) return undefined
  const unclear = new Set(listUnclear(no))
  const kept = no?.split(/[\s,]+/).filter((entry) => !unclear.has(entry))
  const next = { ...set, ...(kept === undefined ? {} : { no: kept.join(',') }) }
  const change = planChange(join(findHome(), 'config.json'), (text) => {
    const settings = JSON.parse(text.replace(/^\uFEFF/, '') || '{}') as { proxy?: Record<string, unknown> }
    const isSame = Object.entries(next).every(([member, value]) => settings.proxy?.[member] === value)
    return isSame ? text : `${JSON.stringify({ ...settings, proxy: { ...settings.proxy, ...next } }, null, 2)}\n`
  })
  if (changesNothing(change)) return undefined
  const places = [...new Set(proxies.map(({ place }) => place))]
  return { ...change, places, hasCredentials: proxies.some(({ address }) => address.includes('@')) }
}

/** Writes the change to a file that only the user can read, and keeps no copy, because it may contain a password. */
export function writeProxySetting(change: ProxyChange): void {
  makeFolder(dirname(change.file), 0o700)
  writeWhole(existsSync(change.file) ? realpathSync(change.file) : change.file, change.after, 0o600)
}

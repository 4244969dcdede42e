import { type Command, InvalidArgumentError } from 'commander'
import { endMeaning, startMeaning } from '../kernel/time-range.ts'
import { UsageError } from './exit.ts'
import { toShare } from './flag-numbers.ts'
import { toJsonObject } from './json-argument.ts'

/** Filter keys whose values are lists, with what a value is; the facet table has the same keys. */
export const listFlags: Readonly<Record<string, string>> = {
  detectorTypes: 'such as SECRETS,PII',
  severities: 'such as CRITICAL,HIGH',
  statuses: 'such as OPEN',
  presences: 'such as history,trash',
  values: 'ids of secrets or personal data, such as v_0123456789ab',
  findingTypes: 'such as EMAIL',
  categories: 'such as SECURITY',
  customDetectorKeys: 'keys of custom detectors',
  sources: 'names or ids of sources',
  sourceTypes: 'such as WIKI,IMPORT',
  assetKinds: 'such as wiki.page',
  containers: 'spaces, workspaces, repositories',
  assets: 'keys of assets',
  owners: 'owners of assets',
  labels: 'labels of assets',
  datasets: 'BI datasets',
  audiences: 'such as anonymous,everyone',
  terms: 'slugs of glossary terms',
  sla: 'MET (resolved in time), MISSED (resolved late, or overdue)',
}

/** What an option for an end of a range means. */
export const [startOption, endOption] = [startMeaning, endMeaning].map(
  (meaning) => meaning.charAt(0).toLowerCase() + meaning.slice(1, -1),
) as [string, string]

/** Filter keys that are half-open ranges, with an example. */
export const rangeFlags: Readonly<Record<string, string>> = {
  resolutionHours: '72.. (at least), ">72.." (more than) or 24..72 (less than 72)',
  ageHours: '..48',
  confidence: '0.5..0.9',
  audienceSize: '100..',
  contentUpdatedAt: '2026-01-01..2026-02-01',
  lastDetectedAt: '2026-01-01..',
  resolvedAt: '..2026-02-01',
}

export const toFlag = (name: string): string => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

const list = (value: string) => value.split(',').map((item) => item.trim())

/** A range as `low..high`, in which either end may be missing. */
function toRange(name: string, value: string): Record<string, number | string> {
  const [low = '', high = '', ...more] = value.split('..').map((end) => end.trim())
  const isTime = name.endsWith('At')
  const [isAbove, isUpTo] = [!isTime && low.startsWith('>'), !isTime && high.startsWith('=')]
  const read = (end: string) => (isTime ? end : Number(end.replace(/^[>=]/, '')))
  const ends = [low, high].filter((end) => end !== '')
  if (!value.includes('..') || more.length > 0 || ends.length === 0 || ends.some((end) => Number.isNaN(read(end)))) {
    throw new InvalidArgumentError(`Must be a range such as ${rangeFlags[name]}.`)
  }
  return {
    ...(low === '' ? {} : { [isTime ? 'from' : isAbove ? 'above' : 'min']: read(low) }),
    ...(high === '' ? {} : { [isTime ? 'to' : isUpTo ? 'upTo' : 'max']: read(high) }),
  }
}

function toBoolean(value: string | true): boolean {
  if (value === true || value === 'true') return true
  if (value === 'false') return false
  throw new InvalidArgumentError('Must be true or false.')
}

/** Adds a flag for each filter key. */
export function addFilterFlags(command: Command): Command {
  for (const [name, values] of Object.entries(listFlags)) command.option(`${toFlag(name)} <list>`, values, list)
  command.option('--min-confidence <number>', 'minimum confidence, 0 to 1', toShare)
  for (const [name, example] of Object.entries(rangeFlags)) {
    command.option(`${toFlag(name)} <range>`, `half-open, such as ${example}`, (value) => toRange(name, value))
  }
  command.option('--overdue [boolean]', 'open and past the due date; false: all others', toBoolean)
  return command.option('--exclude <json>', 'exclude matching findings, such as {"severities":["LOW"]}', toJsonObject)
}

/** Splits the options of a command into the filter that its flags state, and the others. */
export function splitFilter(options: Record<string, unknown>): {
  filter: Record<string, unknown>
  others: Record<string, unknown>
} {
  const isOf = (names: object) => (name: string) => Object.hasOwn(names, name)
  const pick = (keeps: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(options).filter(([name, value]) => value !== undefined && keeps(name)))
  const [isList, isRange] = [isOf(listFlags), isOf(rangeFlags)]
  const isPlain = (name: string) => isList(name) || name === 'minConfidence' || name === 'overdue' || name === 'exclude'
  const ranges = pick(isRange)
  return {
    filter: { ...pick(isPlain), ...(Object.keys(ranges).length === 0 ? {} : { ranges }) },
    others: pick((name) => !isPlain(name) && !isRange(name)),
  }
}

/** The filter of the flags and of a JSON option together; a key may be in one of them only. */
export function mergeFilters(
  options: Record<string, unknown>,
  json: { flag: string; filters: Record<string, unknown> | undefined },
): Record<string, unknown> | undefined {
  const { filter } = splitFilter(options)
  const { flag, filters } = json
  const twice = Object.keys(filter).find((name) => filters !== undefined && Object.hasOwn(filters, name))
  if (twice !== undefined) throw new UsageError(`${toFlag(twice)} is also in ${flag}; give it once.`)
  return filters === undefined && Object.keys(filter).length === 0 ? undefined : { ...filters, ...filter }
}

import { line } from '../kernel/shown.ts'
import type { Host } from './host.ts'
import { askChoices } from './prompt.ts'
import type { Session } from './session.ts'

/** Asks which findings a new definition covers, by the dimensions with a closed list of values. */
export async function askFilter(host: Host, session: Session): Promise<Record<string, string[]>> {
  const { items } = await session.call<{ items: { name: string; filterKey: string; values?: string[] }[] }>(
    'list_dimensions',
    {},
  )
  const { installedPlugins } = await import('../sources/operations.ts')
  const detectors = installedPlugins.detectors.map(({ type }) => type)
  const valuesOf = (key: string) => items.find(({ filterKey }) => filterKey === key)?.values ?? []
  const filter: Record<string, string[]> = {}
  const ask = async (key: string, message: Parameters<typeof askChoices>[1], values: readonly string[]) => {
    const chosen = await askChoices(
      host,
      message,
      values.map((value) => ({ value, label: value })),
    )
    if (chosen.length > 0) filter[key] = chosen
  }
  await ask('detectorTypes', line`Findings of which detectors? Space selects; none means all`, detectors)
  await ask('severities', line`Of which severities? None means all`, valuesOf('severities'))
  await ask('statuses', line`In which status? None means all`, valuesOf('statuses'))
  return filter
}

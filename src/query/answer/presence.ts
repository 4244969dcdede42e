import { toSafeMessage } from '../../detectors/safe-text.ts'
import { count } from '../../kernel/count.ts'
import { showNames } from '../../kernel/shown.ts'
import type { QueryWarning } from '../model.ts'
import type { Plan } from '../plan/plan.ts'
import type { SourceFreshness } from '../sql/freshness.store.ts'
import type { RunPlan } from './value.ts'

/** Maximum number of sources named in a warning. */
const MAX_NAMED = 3

const places = { history: 'only in earlier versions', trash: 'in the trash' } as const

/** Whether a plan counts open findings, wherever they can be read. */
const countsOpen = ({ entity, measure, edges, conditions }: Plan): boolean =>
  entity === 'finding' &&
  measure.aggregation === 'COUNT' &&
  edges === undefined &&
  !conditions.some(({ key }) => key === 'presences') &&
  conditions.some(({ key, values, exclude }) => key === 'statuses' && !exclude && values.join() === 'OPEN')

/** Says how many of the counted open findings are no longer in the present version of their item. */
export function warnOfPresence(plans: readonly Plan[], run: RunPlan): QueryWarning[] {
  const [plan] = plans
  if (plan === undefined || plans.length > 1 || !countsOpen(plan)) return []
  const { groups: _, ...whole } = plan
  const counts = new Map(run({ ...whole, dimensions: ['presence'] }).map(({ key, n }) => [String(key[0]), n]))
  const total = counts.values().reduce((sum, n) => sum + n, 0)
  const parts = Object.entries(places).flatMap(([presence, where]) => {
    const found = counts.get(presence) ?? 0
    return found === 0 ? [] : `${found} of them ${where}`
  })
  const unknown = counts.get('unknown') ?? 0
  const unread = `${unknown} of ${total} open findings are in items whose versions or trash could not be read, so they may be gone.`
  return [
    ...(parts.length === 0
      ? []
      : [{ code: 'presence' as const, message: toSafeMessage(`${total} open, ${parts.join(', ')}.`) }]),
    ...(unknown === 0 ? [] : [{ code: 'not_read' as const, message: toSafeMessage(unread) }]),
  ]
}

/** Says what the sources of a question about findings do not read. */
export function warnOfUnread(sources: readonly SourceFreshness[], plans: readonly Plan[]): QueryWarning[] {
  if (!plans.some(({ entity }) => entity === 'finding')) return []
  const covered = sources.flatMap(({ name, history, coverage }) =>
    coverage === null ? [] : [{ name, history, refused: listRefused(coverage) }],
  )
  const off = covered.filter(({ history }) => history === 'off')
  const refused = covered.filter((source) => source.refused.length > 0)
  const what = [...new Set(refused.flatMap((source) => source.refused))]
  return [
    ...warn(
      'history_not_read',
      off,
      'has history off: what is only in earlier versions or the trash counts as resolved',
    ),
    ...warn('coverage', refused, `refused to show: ${showNames(what)}; what is there is not counted`),
  ]
}

const listRefused = (coverage: string): string[] =>
  (JSON.parse(coverage) as { refused: { what: string }[] }).refused.map(({ what }) => what)

function warn(
  code: 'history_not_read' | 'coverage',
  sources: readonly { name: string }[],
  says: string,
): QueryWarning[] {
  if (sources.length === 0) return []
  const names = showNames(sources.slice(0, MAX_NAMED).map(({ name }) => name))
  const others = sources.length > MAX_NAMED ? ` and ${count(sources.length - MAX_NAMED, 'other')}` : ''
  return [{ code, message: toSafeMessage(`${names}${others} ${says}.`) }]
}

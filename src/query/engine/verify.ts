import { severities } from '../../detectors/detector.ts'
import type { Engine } from '../../engine/columnar-index.ts'
import { buildEngine } from '../../engine/load.store.ts'
import { MIN_FINDINGS_FOR_INDEX } from '../../findings/counts.store.ts'
import { type FacetRow, facetRows, toValueId } from '../../findings/facets.ts'
import { type FilterMapping, type FindTerm, toConditions } from '../../findings/filter.ts'
import { listPolicies } from '../../findings/sla.store.ts'
import { listActiveTerms, openTermFilters } from '../../findings/term-filters.store.ts'
import { dimensions, entityFacts, type MetricField } from '../../metrics/model.ts'
import { createHashSum } from '../../store/move/table-hash.ts'
import type { Reader, Store } from '../../store/store.ts'
import { type Cell, toGroupId } from '../plan/cells.ts'
import type { Plan, PlanCondition } from '../plan/plan.ts'
import { runPlan } from '../sql/plan.store.ts'
import { openColumns } from './columns.ts'
import { runOnEngine } from './engine-plan.ts'
import { openEngineSnapshot } from './executor.ts'

export interface Verification {
  findings: number
  questions: number
  /** Questions that the engine leaves to SQL. */
  left: number
  /** Plans for which the engine and SQL give different answers. */
  differences: Plan[]
}

const DAY = 24 * 3_600_000
const distinctFields: readonly MetricField[] = entityFacts.finding.distinctFields

/** A generator of pseudorandom numbers, reproducible by seed. */
export function createSeededRandom(seed: number) {
  let state = seed >>> 0
  const below = (count: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 4_294_967_296) * count)
  }
  return { below, chance: (share: number) => below(1000) < share * 1000 }
}
type SeededRandom = ReturnType<typeof createSeededRandom>

/** Compares the answers of engine and SQL to the same random questions, in one snapshot. */
export function verifyEngine(
  store: Store,
  { questions, seed, now }: { questions: number; seed: number; now: number },
): Verification {
  const snapshot = store.openSnapshot()
  try {
    const { reader } = snapshot
    const engine = buildEngine(reader)
    const random = createSeededRandom(seed)
    const terms = openTerms(reader, engine, random)
    const result: Verification = { findings: engine.count, questions, left: 0, differences: [] }
    const answering = openEngineSnapshot(reader)
    for (let done = 0; done < questions; done++) {
      const plan = makePlan(engine, random, now, terms)
      const cells = runOnEngine(engine, plan, answering)
      if (cells === undefined) result.left += 1
      else if (!areSame(cells, runPlan(reader, plan))) result.differences.push(plan)
    }
    return result
  } finally {
    snapshot.close()
  }
}

const MIN_QUESTIONS = 20

/** What a database was asked and answered. */
export interface AskedQuestions {
  plans: Plan[]
  /** Of each, a hash; with `written` the lines of the answer. Empty where it was not asked. */
  answers: string[]
  /** What conditions of the plans refer to. */
  definitions: object
}

/**
 * Asks a database random questions. None is broken down by asset: such an answer has up to one group for every asset
 * and period, which takes seconds each. From MIN_FINDINGS_FOR_INDEX on, none is answered that the engine leaves to SQL,
 * which takes a server up to minutes each. After `budgetMs` it asks no more, but at least MIN_QUESTIONS. With `written`,
 * only the questions at these places are answered.
 */
export function askQuestions(
  reader: Reader,
  {
    questions,
    seed,
    now,
    budgetMs,
    written,
  }: { questions: number; seed: number; now: number; budgetMs: number; written?: ReadonlySet<number> },
): AskedQuestions {
  const engine = buildEngine(reader)
  const random = createSeededRandom(seed)
  const terms = openTerms(reader, engine, random)
  const answering = openEngineSnapshot(reader)
  const plans: Plan[] = []
  while (plans.length < questions) {
    const plan = makePlan(engine, random, now, terms)
    if (!plan.dimensions.includes('asset')) plans.push(plan)
  }
  const isLarge = engine.count >= MIN_FINDINGS_FOR_INDEX
  const answer = (plan: Plan) => runOnEngine(engine, plan, answering) ?? (isLarge ? undefined : runPlan(reader, plan))
  const answers: string[] = []
  const until = performance.now() + budgetMs
  for (const [at, plan] of plans.entries()) {
    if (answers.length >= MIN_QUESTIONS && performance.now() > until) break
    const cells = written?.has(at) === false ? undefined : answer(plan)
    if (cells === undefined) answers.push('')
    else answers.push(written === undefined ? hashAnswer(cells) : cells.map(writeCell).sort().join('\n'))
  }
  const { slugs, termOf } = terms
  const definitions = {
    terms: Object.fromEntries(slugs.map((slug) => [slug, termOf(slug)])),
    policies: termOf.policies?.() ?? [],
  }
  return { plans: plans.slice(0, answers.length), answers, definitions }
}

/** The same for the same cells in any order. */
function hashAnswer(cells: readonly Cell[]): string {
  const sum = createHashSum()
  for (const cell of cells) sum.add(writeCell(cell))
  return `${cells.length} ${sum.toText()}`
}

/** A total over nothing is read as if it were missing. */
const isEmptyTotal = ({ key, n, min, max }: Cell) => key.length === 0 && n === 0 && min === null && max === null

/** Whether two answers are equal regardless of order. */
export function areSame(left: readonly Cell[], right: readonly Cell[]): boolean {
  const write = (cells: readonly Cell[]) =>
    cells
      .filter((cell) => !isEmptyTotal(cell))
      .map(writeCell)
      .sort()
  const [ours, theirs] = [write(left), write(right)]
  return ours.length === theirs.length && ours.every((line, index) => line === theirs[index])
}

const writeCell = ({ key, bucket, n, sum, min, max, quantile }: Cell): string =>
  [bucket, toGroupId(key), n, sum, min, max, quantile].join(' ')

/** What conditions on terms and due dates refer to. */
interface Terms {
  slugs: readonly string[]
  termOf: FindTerm
}

/** The active terms and the policies of due dates; without policies, random ones. */
export function openTerms(reader: Reader, engine: Engine, random: SeededRandom): Terms {
  const termOf = openTermFilters(reader)
  const slugs = listActiveTerms(reader)
  if (listPolicies(reader).length > 0) return { slugs, termOf }
  const columnOf = openColumns(engine, { isByAsset: false, ofFindings: true })
  const ofFacets = facetRows.filter(isIndexed)
  const made = Array.from({ length: 4 }, () => {
    const facet = ofFacets[random.below(ofFacets.length)]
    const values = facet && pickSome(random, listValues(engine, facet, columnOf), 2)
    const mapping = facet === undefined || !values?.length ? {} : { [facet.filterKey]: values }
    const days = Object.fromEntries(pickSome(random, severities, 3).map((name) => [name, 1 + random.below(60)]))
    return { days, mapping: mapping as FilterMapping }
  })
  return { slugs, termOf: Object.assign((slug: string) => termOf(slug), { policies: () => made }) }
}

/** A random plan over the findings in the engine; without `terms`, its conditions are on single facets. */
export function makePlan(engine: Engine, random: SeededRandom, now: number, terms?: Terms): Plan {
  const { rows } = engine.findings
  const first = rows.count === 0 ? now : rows.timeOf(0)
  const instant = () => first + random.below(Math.max(1, now - first))
  const range: Plan['range'] = random.chance(0.5) ? {} : toRange(instant(), instant())
  const isStock = random.chance(0.25)
  const edges = random.chance(0.3) ? toEdges(random, range.from ?? first, range.to ?? now) : undefined
  return {
    entity: 'finding',
    mode: isStock ? 'stock' : 'flow',
    measure: toMeasure(random),
    conditions: [
      ...makeConditions(engine, random),
      ...(terms === undefined ? [] : makeFurtherConditions(random, now, terms)),
    ],
    timeField: 'firstDetectedAt',
    range: isStock ? {} : range,
    at: isStock ? (range.to ?? now + 1) : now,
    dimensions: pickSome(random, dimensions, random.below(3)),
    ...(edges === undefined ? {} : { edges }),
  }
}

const toRange = (a: number, b: number) => ({ from: Math.min(a, b), to: Math.max(a, b) })

function toEdges(random: SeededRandom, from: number, to: number): number[] {
  const step = Math.max(DAY / 4, Math.ceil((to - from) / (2 + random.below(40))))
  return Array.from({ length: Math.max(1, Math.floor((to - from) / step)) }, (_, index) => from + (index + 1) * step)
}

function toMeasure(random: SeededRandom): Plan['measure'] {
  const kind = random.below(7)
  if (kind === 6) return { aggregation: 'PERCENTILE', field: 'confidence', p: random.below(21) / 20 }
  if (kind < 2) return { aggregation: 'COUNT' }
  if (kind === 2)
    return { aggregation: 'COUNT_DISTINCT', field: distinctFields[random.below(distinctFields.length)] ?? 'assetId' }
  return { aggregation: kind === 3 ? 'AVG' : kind === 4 ? 'MIN' : 'MAX', field: 'confidence' }
}

function makeConditions(engine: Engine, random: SeededRandom): PlanCondition[] {
  const columnOf = openColumns(engine, { isByAsset: false, ofFindings: true })
  const found: PlanCondition[] = []
  const add = (key: PlanCondition['key'], values: readonly (string | number)[]) => {
    const exclude = key !== 'minConfidence' && random.chance(0.2)
    if (values.length > 0) found.push({ key, values, exclude, origin: 'caller' })
  }
  for (const facet of facetRows) {
    if (isIndexed(facet) && random.chance(0.17)) {
      add(facet.filterKey, pickSome(random, listValues(engine, facet, columnOf), 1 + random.below(3)))
    }
  }
  if (random.chance(0.2))
    add('minConfidence', [random.chance(0.7) ? random.below(101) / 100 : random.below(10_001) / 10_000])
  return found
}

/** Conditions on terms, due dates and ranges. */
function makeFurtherConditions(random: SeededRandom, now: number, { slugs, termOf }: Terms): PlanCondition[] {
  const someTerms = () => pickSome(random, slugs, 1 + random.below(3))
  const days = () => new Date(now - random.below(400) * DAY).toISOString()
  const toFilter = (): FilterMapping => {
    switch (random.below(6)) {
      case 0:
        return slugs.length === 0 ? {} : { terms: someTerms() }
      case 1:
        return slugs.length === 0 ? {} : { exclude: { terms: someTerms() } }
      case 2:
        return { overdue: random.chance(0.7) }
      case 3:
        return { sla: random.chance(0.3) ? ['MET', 'MISSED'] : [random.chance(0.5) ? 'MET' : 'MISSED'] }
      case 4:
        return { ranges: { ageHours: { min: 24 * random.below(200) } } }
      default:
        return {
          ranges: random.chance(0.5)
            ? { resolutionHours: { max: 1 + random.below(2000) } }
            : { lastDetectedAt: { from: days() } },
        }
    }
  }
  if (!random.chance(0.4)) return []
  return toConditions(toFilter(), termOf).map((condition) => ({ ...condition, origin: 'caller' }))
}

/** Keys of assets are not in the index. */
const isIndexed = ({ storage }: FacetRow) => storage.stores !== 'asset'

/** The values of a facet that findings in the index have or may have, in an order that no database decides. */
function listValues(
  { names, values: ids }: Engine,
  { storage, slot }: FacetRow,
  columnOf: ReturnType<typeof openColumns>,
): readonly string[] {
  if (storage.stores === 'code') return Object.keys(storage.codes)
  if (storage.stores === 'source') return names.sources.map((source) => source[storage.sourceColumn]).sort()
  if (storage.stores === 'value') return Array.from(ids.stored.slice(1, ids.count).sort(), toValueId)
  const { values } = columnOf(slot)
  const words = storage.stores === 'wordSet' ? values.flatMap((set) => names.labelsOf(set)) : values
  return words.flatMap((id) => names.wordOf(id) ?? []).sort()
}

function pickSome<Item>(random: SeededRandom, items: readonly Item[], count: number): Item[] {
  const found = new Set<Item>()
  for (let left = count; left > 0; left--) {
    const item = items[random.below(items.length)]
    if (item !== undefined) found.add(item)
  }
  return [...found]
}

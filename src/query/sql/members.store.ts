import { sql } from 'kysely'
import type { Reader } from '../../store/store.ts'
import type { Plan } from '../plan/plan.ts'
import { seeAsPlanned, toPlanTerms } from './plan.store.ts'
import { toRowSource } from './rows.store.ts'

/** The row ids of the findings, or assets, that a plan counts, in no particular order. */
export const listMembers = (reader: Reader, plan: Plan): number[] =>
  seeAsPlanned(reader, plan, () => {
    const counted: Plan = { ...plan, measure: { aggregation: 'COUNT' }, dimensions: [] }
    const source = toRowSource({ ...toPlanTerms(reader, counted, undefined), isCounted: false })
    const id = sql.ref(plan.entity === 'asset' ? 'a.id' : 'f.id')
    return reader.all(sql<{ id: number }>`SELECT ${id} AS id ${source.from()}`).map((row) => row.id)
  })

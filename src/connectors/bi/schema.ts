import type { BiApi } from './api.ts'
import { codeOf, judge, statusOf } from './failure.ts'
import type { Dataset, Field, Schema, SchemaAnswer, Table, Workspace } from './model.ts'
import { isInternalColumn, isInternalTable, toTables } from './read.ts'
import type { ScanAnswer } from './scanner.ts'
import { type Item, toItem } from './wire.ts'

/** Projections only: no cell value ever leaves the service. */
const queries = {
  describedColumns:
    'EVALUATE SELECTCOLUMNS(INFO.VIEW.COLUMNS(),"t",[Table],"c",[Name],"d",[DataType],"h",[IsHidden],"x",[Description],"e",[Expression])',
  columns: 'EVALUATE SELECTCOLUMNS(INFO.VIEW.COLUMNS(),"t",[Table],"c",[Name],"d",[DataType],"h",[IsHidden])',
  measures: 'EVALUATE SELECTCOLUMNS(INFO.VIEW.MEASURES(),"t",[Table],"m",[Name],"e",[Expression],"x",[Description])',
  tables: 'EVALUATE SELECTCOLUMNS(INFO.VIEW.TABLES(),"t",[Name],"x",[Description],"h",[IsHidden],"e",[Expression])',
  statistics: 'EVALUATE SELECTCOLUMNS(COLUMNSTATISTICS(),"t",[Table Name],"c",[Column Name])',
}

/** After so many datasets in a row refused alike, the refusal is taken as the tenant's. */
const ALIKE_REFUSALS = 5

type Step = { schema: Schema } | { reason: string; temporary?: boolean }

class QueryRefused extends Error {
  readonly reason: string
  /** True where the tenant refuses, not this dataset. */
  readonly general: boolean

  constructor(reason: string, general = false) {
    super(reason)
    this.reason = reason
    this.general = general
  }
}

const isTenantWord = (code: string) => /disabled|tenant|featurenot|notenabled|notallowed/i.test(code)

/** A reply of 200 may hold an error at three places. */
function readRows(body: unknown): Item[] {
  const reply = toItem(body)
  const [result] = reply.items('results')
  const [table] = result?.items('tables') ?? []
  const error = reply.item('error') ?? result?.item('error') ?? table?.item('error')
  if (error !== undefined) throw new QueryRefused('query_refused', isTenantWord(error.text('code') ?? ''))
  if (table === undefined) throw new QueryRefused('query_refused')
  return table.items('rows')
}

const cell = (row: Item, key: string) => row.text(`[${key}]`) ?? row.text(key)
const hidden = (row: Item) => (row.flag('[h]') === true ? { hidden: true as const } : {})
const member = <K extends string>(key: K, value: string | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { [P in K]?: string }

function toSchema(way: Schema['way'], columns: Item[], measures: Item[], tableRows: Item[]): Schema {
  const tables = new Map<string, Table>()
  const tableOf = (name: string) => {
    const table = tables.get(name) ?? { name, columns: [], measures: [], sources: [] }
    tables.set(name, table)
    return table
  }
  for (const row of tableRows) {
    const table = tableOf(cell(row, 't') ?? '')
    const expression = cell(row, 'e')
    Object.assign(table, hidden(row), member('description', cell(row, 'x')))
    if (expression !== undefined) table.sources.push(expression)
  }
  for (const row of columns) {
    const name = cell(row, 'c')
    if (name === undefined || isInternalColumn(name)) continue
    const text = { ...member('description', cell(row, 'x')), ...member('expression', cell(row, 'e')) }
    const field: Field = { name, ...member('dataType', cell(row, 'd')), ...text, ...hidden(row) }
    tableOf(cell(row, 't') ?? '').columns.push(field)
  }
  for (const row of measures) {
    const name = cell(row, 'm')
    if (name === undefined) continue
    const text = { ...member('expression', cell(row, 'e')), ...member('description', cell(row, 'x')) }
    tableOf(cell(row, 't') ?? '').measures.push({ name, ...text })
  }
  const kept = [...tables.values()].filter(({ name }) => name !== '' && !isInternalTable(name))
  return { way, tables: kept, expressions: [] }
}

/** Reads schemas by the first way that works, and says why where none does. */
export function createSchemaReader(options: { api: BiApi; servicePrincipal: boolean }) {
  const { api } = options
  let queriesOff: string | undefined
  let alike = 0

  async function rows(workspace: Workspace, dataset: Dataset, dax: string): Promise<Item[]> {
    const { status, body } = await api.query(workspace, dataset.id, dax)
    if (status === 404) throw new QueryRefused('no_build_permission')
    if (status >= 400) {
      const code = toItem(body).item('error')?.text('code') ?? ''
      throw new QueryRefused(isTenantWord(code) ? 'execute_queries_disabled' : 'query_refused', isTenantWord(code))
    }
    return readRows(body)
  }

  /** The rows of the first of several queries that the engine takes; which columns a view has depends on its age. */
  async function firstTaken(
    workspace: Workspace,
    dataset: Dataset,
    daxes: readonly string[],
  ): Promise<[number, Item[]]> {
    for (const [index, dax] of daxes.entries()) {
      try {
        return [index, await rows(workspace, dataset, dax)]
      } catch (error) {
        const wording = error instanceof QueryRefused && error.reason === 'query_refused' && !error.general
        if (!wording || index === daxes.length - 1) throw error
      }
    }
    throw new QueryRefused('query_refused')
  }

  async function ask(workspace: Workspace, dataset: Dataset): Promise<Schema> {
    const ways = [queries.describedColumns, queries.columns, queries.statistics]
    const [way, columns] = await firstTaken(workspace, dataset, ways)
    if (way === 2) return toSchema('statistics', columns, [], [])
    const more = async (dax: string) => {
      try {
        return await rows(workspace, dataset, dax)
      } catch (error) {
        if (error instanceof QueryRefused) return []
        throw error
      }
    }
    return toSchema('queries', columns, await more(queries.measures), await more(queries.tables))
  }

  async function byQueries(workspace: Workspace, dataset: Dataset): Promise<Step> {
    if (queriesOff !== undefined) return { reason: queriesOff }
    if (options.servicePrincipal && dataset.identityRequired) return { reason: 'rls' }
    try {
      const schema = await ask(workspace, dataset)
      alike = 0
      return schema.tables.length > 0 ? { schema } : { reason: 'no_tables' }
    } catch (error) {
      if (error instanceof QueryRefused) {
        alike = error.reason === 'query_refused' ? alike + 1 : 0
        if (error.general) queriesOff = 'execute_queries_disabled'
        else if (alike >= ALIKE_REFUSALS) queriesOff = error.reason
        return { reason: error.general ? 'execute_queries_disabled' : error.reason }
      }
      if ((await judge(error, api.probe)) === 'unavailable') return { reason: 'queries_unavailable', temporary: true }
      if (isTenantWord(codeOf(error))) {
        queriesOff = 'execute_queries_disabled'
        return { reason: queriesOff }
      }
      return { reason: dataset.identityRequired ? 'rls' : 'no_build_permission' }
    }
  }

  async function byTables(workspace: Workspace, dataset: Dataset): Promise<Step> {
    if (!dataset.pushRows) return { reason: 'not_push_dataset' }
    try {
      const tables = toTables(await api.tables(workspace, dataset.id))
      if (tables.length === 0) return { reason: 'no_tables' }
      return { schema: { way: 'tables', tables, expressions: [] } }
    } catch (error) {
      const verdict = await judge(error, api.probe)
      if (verdict === 'refused' || statusOf(error) === 501) return { reason: 'tables_refused' }
      return { reason: 'tables_unavailable', temporary: true }
    }
  }

  function byScanner(dataset: Dataset, scan: ScanAnswer): Step {
    if ('missing' in scan) return { reason: scan.missing, temporary: scan.temporary }
    const { scanned } = dataset
    if (scanned?.schema !== undefined) return { schema: scanned.schema }
    return { reason: scanned?.error === undefined ? 'not_in_scan_result' : `retrieval_error:${toWord(scanned.error)}` }
  }

  return async function readSchema(workspace: Workspace, dataset: Dataset, scan: ScanAnswer): Promise<SchemaAnswer> {
    const tried: Record<string, string> = {}
    let temporary = false
    const ways: [string, () => Step | Promise<Step>][] = [
      ['scanner', () => byScanner(dataset, scan)],
      ['tables', () => byTables(workspace, dataset)],
      ['queries', () => byQueries(workspace, dataset)],
    ]
    for (const [way, read] of ways) {
      if (way !== 'scanner' && !workspace.member) continue
      const step = await read()
      if ('schema' in step) return { status: 'available', schema: step.schema }
      tried[way] = step.reason
      temporary ||= step.temporary === true
    }
    return { status: 'unavailable', reason: tellingReason(tried), temporary, tried }
  }
}

/** The one reason to show: what the platform said of this dataset before what is true of the account. */
function tellingReason(tried: Record<string, string>): string {
  const { scanner = 'not_in_scan_result', queries: asked } = tried
  if (scanner.startsWith('retrieval_error')) return scanner
  return asked ?? scanner
}

const toWord = (text: string) =>
  text
    .replace(/[^\w]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 60)
    .toLowerCase()

export type SchemaReader = ReturnType<typeof createSchemaReader>

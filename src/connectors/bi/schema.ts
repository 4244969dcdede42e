import type { BiApi } from './api.ts'
import { codeOf, judge, statusOf } from './failure.ts'
import { listTableGaps, toScanGap, toWord, unread } from './gaps.ts'
import type { Dataset, Field, ScanAnswer, Schema, SchemaAnswer, Table, Workspace } from './model.ts'
import { isInternalColumn, isInternalTable, NO_NAME, toTables } from './read.ts'
import { type Item, toItem } from './wire.ts'

/** Queries read metadata only: no cell value ever leaves the service. */
const queries = {
  describedColumns:
    'EVALUATE SELECTCOLUMNS(INFO.VIEW.COLUMNS(),"t",[Table],"c",[Name],"d",[DataType],"h",[IsHidden],"x",[Description],"e",[Expression])',
  columns: 'EVALUATE SELECTCOLUMNS(INFO.VIEW.COLUMNS(),"t",[Table],"c",[Name],"d",[DataType],"h",[IsHidden])',
  measures: 'EVALUATE SELECTCOLUMNS(INFO.VIEW.MEASURES(),"t",[Table],"m",[Name],"e",[Expression],"x",[Description])',
  tables: 'EVALUATE SELECTCOLUMNS(INFO.VIEW.TABLES(),"t",[Name],"x",[Description],"h",[IsHidden],"e",[Expression])',
  statistics: 'EVALUATE SELECTCOLUMNS(COLUMNSTATISTICS(),"t",[Table Name],"c",[Column Name])',
}

/** After this many identical refusals in a row, the refusal is assumed to apply to the whole tenant. */
const MAX_EQUAL_REFUSALS = 5

type Step = { schema: Schema } | { reason: string; temporary?: boolean }

class QueryRefused extends Error {
  readonly reason: string
  /** True where the refusal applies to the tenant, not only to this dataset. */
  readonly general: boolean

  constructor(reason: string, general = false) {
    super(reason)
    this.reason = reason
    this.general = general
  }
}

const isTenantWord = (code: string) => /disabled|tenant|featurenot|notenabled|notallowed/i.test(code)

/** A reply with status 200 may contain an error in any of three places. */
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

function toTablesOf(columns: Item[], measures: Item[], tableRows: Item[]): Table[] {
  const tables = new Map<string, Table>()
  const tableOf = (name: string) => {
    const table = tables.get(name) ?? { name, columns: [], measures: [], sources: [] }
    tables.set(name, table)
    return table
  }
  for (const row of tableRows) {
    const table = tableOf(cell(row, 't') || NO_NAME)
    Object.assign(table, hidden(row), member('description', cell(row, 'x')), member('expression', cell(row, 'e')))
  }
  for (const row of columns) {
    const name = cell(row, 'c') || NO_NAME
    if (isInternalColumn(name)) continue
    const text = { ...member('description', cell(row, 'x')), ...member('expression', cell(row, 'e')) }
    const field: Field = { name, ...member('dataType', cell(row, 'd')), ...text, ...hidden(row) }
    tableOf(cell(row, 't') || NO_NAME).columns.push(field)
  }
  for (const row of measures) {
    const text = { ...member('expression', cell(row, 'e')), ...member('description', cell(row, 'x')) }
    tableOf(cell(row, 't') || NO_NAME).measures.push({ name: cell(row, 'm') || NO_NAME, ...text })
  }
  return [...tables.values()].filter(({ name }) => !isInternalTable(name))
}

/** Names are never empty; other texts are null where they are. */
const isName: ReadonlySet<string> = new Set(['t', 'c', 'm'])

function hasCell(row: Item, key: string): boolean {
  const column = row.has(`[${key}]`) ? `[${key}]` : key
  return row.text(column) !== undefined || (row.blank(column) && !isName.has(key))
}

/** Reports a gap where a row lacks a column, which the platform includes even when its value is empty. */
const requireCells = (rows: readonly Item[], keys: readonly string[], ...sections: string[]) =>
  keys.some((key) => rows.some((row) => !hasCell(row, key))) ? unread('missing', '', ...sections) : []

/** Sections that are incomplete where a table or column has no name. */
const namedSections = ['tables/names', 'tables/descriptions', 'tables/columns']

/** Queries for columns, best first, each with the sections that it does not provide. */
const columnWays = [
  { dax: queries.describedColumns, way: 'queries', leavesOut: [] },
  { dax: queries.columns, way: 'queries', leavesOut: ['tables/descriptions/columns', 'tables/columns'] },
  {
    dax: queries.statistics,
    way: 'statistics',
    leavesOut: ['tables/descriptions', 'tables/columns', 'tables/measures'],
  },
] as const

/** Reads schemas by the first method that works, or returns why each method failed. */
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

  /** Result of the first query that the platform accepts; the columns of a view depend on the engine's version. */
  async function firstTaken(
    workspace: Workspace,
    dataset: Dataset,
  ): Promise<{ chosen: (typeof columnWays)[number]; columns: Item[] }> {
    for (const [index, chosen] of columnWays.entries()) {
      try {
        return { chosen, columns: await rows(workspace, dataset, chosen.dax) }
      } catch (error) {
        const wording = error instanceof QueryRefused && error.reason === 'query_refused' && !error.general
        if (!wording || index === columnWays.length - 1) throw error
      }
    }
    throw new QueryRefused('query_refused')
  }

  async function ask(workspace: Workspace, dataset: Dataset): Promise<Schema> {
    const { chosen, columns } = await firstTaken(workspace, dataset)
    const gaps = [
      ...unread('refused', 'query_refused', ...chosen.leavesOut),
      ...requireCells(columns, ['t', 'c'], ...namedSections),
    ]
    if (chosen.way === 'statistics') return { way: 'statistics', tables: toTablesOf(columns, [], []), unread: gaps }
    if (chosen.leavesOut.length === 0) {
      gaps.push(
        ...requireCells(columns, ['x'], 'tables/descriptions/columns'),
        ...requireCells(columns, ['e'], 'tables/columns'),
      )
    }
    const more = async (dax: string, ...sections: string[]) => {
      try {
        return await rows(workspace, dataset, dax)
      } catch (error) {
        if (error instanceof QueryRefused) gaps.push(...unread('refused', error.reason, ...sections))
        else if ((await judge(error, api.probe)) === 'unavailable') gaps.push(...unread('failed', '', ...sections))
        else gaps.push(...unread('refused', '', ...sections))
        return []
      }
    }
    const measures = await more(queries.measures, 'tables/measures')
    const tables = await more(queries.tables, ...namedSections)
    gaps.push(
      ...requireCells(measures, ['t', 'm'], 'tables/measures'),
      ...requireCells(measures, ['e'], 'tables/measures/expressions'),
      ...requireCells(measures, ['x'], 'tables/measures/descriptions'),
      ...requireCells(tables, ['t'], ...namedSections),
      ...requireCells(tables, ['x'], 'tables/descriptions/tables'),
      ...requireCells(tables, ['e'], 'tables/columns'),
    )
    return { way: 'queries', tables: toTablesOf(columns, measures, tables), unread: gaps }
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
        else if (alike >= MAX_EQUAL_REFUSALS) queriesOff = error.reason
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
      const items = await api.tables(workspace, dataset.id)
      return { schema: { way: 'tables', tables: toTables(items), unread: listTableGaps(items) } }
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
    if (scanned?.error !== undefined) return { reason: `retrieval_error:${toWord(scanned.error)}` }
    return { reason: 'not_in_scan_result' }
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
      if ('schema' in step) return { status: 'available', schema: withScanGaps(step.schema, scan) }
      tried[way] = step.reason
      temporary ||= step.temporary === true
    }
    return { status: 'unavailable', reason: mostSpecificReason(tried), temporary, tried }
  }
}

/** Power Query that was not read because the metadata scan was not available gets the metadata scan's reason. */
function withScanGaps(schema: Schema, scan: ScanAnswer): Schema {
  const gap = toScanGap(scan)
  const hasSources = schema.way === 'tables' && schema.tables.some(({ sources }) => sources.length > 0)
  if (schema.way === 'scanner' || hasSources || gap === undefined) return schema
  const otherGaps = schema.unread.filter(({ section }) => section !== 'tables/sources')
  return { ...schema, unread: [...otherGaps, ...unread(gap.reason, gap.detail, 'tables/sources')] }
}

/** The reason to show: an error specific to the dataset takes precedence over a restriction of the account. */
function mostSpecificReason(tried: Record<string, string>): string {
  const { scanner = 'not_in_scan_result', queries: asked } = tried
  if (scanner.startsWith('retrieval_error')) return scanner
  return asked ?? scanner
}

export type SchemaReader = ReturnType<typeof createSchemaReader>

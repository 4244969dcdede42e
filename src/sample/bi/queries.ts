import type { BiDataset } from './tenant.ts'

type Row = Record<string, string | number | boolean | null>

export type QueryAnswer = { rows: Row[] } | { error: { code: string; message: string } }

const refusal = (message: string): QueryAnswer => ({ error: { code: 'DatasetExecuteQueriesError', message } })

/** The metadata views by name; rows have the columns that a projection may select. */
const views: Record<string, (dataset: BiDataset) => Row[]> = {
  'INFO.VIEW.TABLES': ({ tables }) =>
    tables.map(({ name, description, isHidden }) => ({
      Name: name,
      Description: description ?? null,
      IsHidden: isHidden ?? false,
      StorageMode: 'Import',
      Expression: null,
    })),
  'INFO.VIEW.COLUMNS': ({ tables }) =>
    tables.flatMap((table) =>
      table.columns.map(({ name, dataType, description, isHidden }) => ({
        Table: table.name,
        Name: name,
        DataType: dataType,
        Description: description ?? null,
        IsHidden: isHidden ?? false,
        Expression: null,
      })),
    ),
  'INFO.VIEW.MEASURES': ({ tables }) =>
    tables.flatMap((table) =>
      table.measures.map(({ name, expression, description }) => ({
        Table: table.name,
        Name: name,
        Expression: expression,
        Description: description ?? null,
        IsHidden: false,
      })),
    ),
  COLUMNSTATISTICS: ({ tables }) =>
    tables.flatMap((table) =>
      table.columns.map(({ name }) => ({
        'Table Name': table.name,
        'Column Name': name,
        Min: 'a',
        Max: 'z',
        Cardinality: 2,
      })),
    ),
}

const projected = /^\s*EVALUATE\s+SELECTCOLUMNS\s*\(\s*([\w.]+)\s*\(\s*\)\s*,(.*)\)\s*$/is
const plain = /^\s*EVALUATE\s+([\w.]+)\s*\(\s*\)\s*$/i
const row = /^\s*EVALUATE\s+ROW\s*\(\s*"([^"]+)"\s*,\s*(-?\d+)\s*\)\s*$/i

/** Runs DAX queries on a model's metadata; all other queries are refused, because the model has no data. */
export function answerQuery(dataset: BiDataset, dax: string, includeNulls: boolean): QueryAnswer {
  const single = row.exec(dax)
  if (single !== null) return { rows: [{ [`[${single[1]}]`]: Number(single[2]) }] }
  const [, name = '', columns] = projected.exec(dax) ?? plain.exec(dax) ?? []
  const view = views[name.toUpperCase()]
  if (view === undefined) return refusal('Failed to execute the DAX query.')
  const pairs = [...(columns ?? '').matchAll(/"([^"]+)"\s*,\s*\[([^\]]+)\]/g)].map(([, as = '', from = '']) => ({
    as,
    from,
  }))
  const rows = view(dataset)
  const [first] = rows
  const unknown = pairs.find(({ from }) => first !== undefined && !(from in first))
  if (unknown !== undefined) return refusal(`Column [${unknown.from}] cannot be found.`)
  const shown = pairs.length > 0 ? pairs : Object.keys(first ?? {}).map((key) => ({ as: key, from: key }))
  return {
    rows: rows.map((values) =>
      Object.fromEntries(
        shown
          .map(({ as, from }): [string, Row[string]] => [`[${as}]`, values[from] ?? null])
          .filter(([, value]) => includeNulls || value !== null),
      ),
    ),
  }
}

import { json, type Reply } from '../server.ts'
import type { BiDataset } from './tenant.ts'

const refusal = (code: string, status = 400): Reply =>
  json({ error: { code, 'pbi.error': { code, parameters: {}, details: [] } } }, status)

type Row = Record<string, string | boolean | null>

/** The views of a model that a query may project, each row by the view's own column names. */
function viewRows(dataset: BiDataset, view: string): Row[] | undefined {
  const perTable = (read: (table: BiDataset['tables'][number]) => Row[]) => dataset.tables.flatMap(read)
  switch (view) {
    case 'INFO.VIEW.TABLES()':
      return dataset.tables.map((table) => ({
        Name: table.name,
        Description: table.description ?? null,
        IsHidden: table.isHidden === true,
        Expression: table.source ?? null,
      }))
    case 'INFO.VIEW.COLUMNS()':
      return perTable((table) =>
        table.columns.map((column) => ({
          Table: table.name,
          Name: column.name,
          DataType: column.dataType ?? 'Text',
          IsHidden: column.isHidden === true,
          Description: column.description ?? null,
        })),
      )
    case 'INFO.VIEW.MEASURES()':
      return perTable((table) =>
        table.measures.map((measure) => ({
          Table: table.name,
          Name: measure.name,
          Expression: measure.expression ?? null,
          Description: measure.description ?? null,
          IsHidden: false,
        })),
      )
    case 'INFO.VIEW.RELATIONSHIPS()':
      return []
    case 'COLUMNSTATISTICS()':
      return perTable((table) =>
        table.columns.map((column) => ({ 'Table Name': table.name, 'Column Name': column.name })),
      )
    default:
      return undefined
  }
}

/** Answers `EVALUATE SELECTCOLUMNS(view, "alias", [column], …)`; any other query is refused as the platform refuses it. */
export function executeQuery(dataset: BiDataset, body: string): Reply {
  const request = JSON.parse(body || '{}') as { queries?: { query?: string }[] }
  const query = request.queries?.[0]?.query ?? ''
  const match = /^\s*EVALUATE\s+SELECTCOLUMNS\(\s*([A-Z.]+\(\))\s*,(.*)\)\s*$/is.exec(query)
  const rows = match === null ? undefined : viewRows(dataset, (match[1] ?? '').toUpperCase())
  if (match === null || rows === undefined) return refusal('DatasetExecuteQueriesError')
  const columns = [...(match[2] ?? '').matchAll(/"([^"]+)"\s*,\s*\[([^\]]+)\]/g)]
  const projected = rows.map((row) =>
    Object.fromEntries(columns.map(([, alias = '', column = '']) => [`[${alias}]`, row[column] ?? null])),
  )
  const reply = json({ results: [{ tables: [{ rows: projected }] }] })
  return { ...reply, body: `\ufeff${reply.body as string}` }
}

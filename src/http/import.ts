import { z } from 'zod'
import { importForCaller } from '../imports/for-caller.ts'
import { type ImportResult, importFindings } from '../imports/imports.ts'
import { type ImportRequest, importFormats, ScopeName } from '../imports/request.ts'
import { AppError, invalidInput } from '../kernel/errors.ts'
import type { WriteContext } from '../operation/context.ts'
import { requireScope } from '../operation/operation.ts'
import { SourceName } from '../sources/model.ts'

/** The media types of the formats. JSON of the tools has none of its own. */
export const importMimes = [
  ...['application/x-ndjson', 'application/ndjson', 'application/jsonl'],
  ...['application/json', 'application/sarif+json', 'text/csv'],
]

export type ImportFindings = (
  stream: ReadableStream<Uint8Array>,
  request: ImportRequest,
  context: WriteContext,
) => Promise<ImportResult>

const flag = z.enum(['true', 'false'], 'must be true or false.').transform((value) => value === 'true')

/** The parameters of the query string. */
export const ImportQuery = z.strictObject({
  source: SourceName.default('import').describe('Source they belong to; created if it does not exist.'),
  format: z
    .enum(importFormats, `must be one of ${importFormats.join(', ')}.`)
    .describe('Format of the body; default: by its beginning.')
    .optional(),
  complete: flag
    .describe('The body is all that its tool has for its scope: what is no longer in it is resolved.')
    .optional(),
  scope: ScopeName.describe(
    'What the tool scanned, if the body does not say; needed for complete NDJSON and CSV.',
  ).optional(),
  map: z
    .string()
    .regex(/^.+=.*$/, 'must be column=member.')
    .describe('What a column of CSV is, as column=member; repeated. An empty member leaves it out.')
    .optional(),
  dryRun: flag.describe('Only say what the import would do.').optional(),
  acceptVanishing: flag.describe('Lets a complete body be empty, or lack more than 30 % of its scope.').optional(),
})

/** `POST /findings/import?source=NAME`: imports a stream of findings atomically. */
export async function importRoute(
  request: Request,
  context: WriteContext,
  take: ImportFindings = importFindings,
): Promise<Response> {
  requireScope('Importing findings', 'admin', context.caller)
  const query = readQuery(new URL(request.url).searchParams)
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!importMimes.includes(type)) {
    throw new AppError(
      'unsupported_media_type',
      `Send findings with a Content-Type of their format: ${importMimes.join(', ')}.`,
    )
  }
  if (request.body === null) throw invalidInput('The body is empty; send one finding per line.')
  const { body } = request
  return Response.json(await importForCaller(() => take(body, query, context), context))
}

function readQuery(query: URLSearchParams): ImportRequest {
  const { data, error } = ImportQuery.safeParse(Object.fromEntries(query))
  if (data !== undefined) {
    const { map, ...request } = data
    return map === undefined ? request : { ...request, map: toColumns(query.getAll('map')) }
  }
  throw invalidInput(`The query string is not valid; it may contain ${Object.keys(ImportQuery.shape).join(', ')}.`, {
    issues: error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((path) => ({ path, message: 'is not a known key; remove it or check its spelling.' }))
        : [{ path: issue.path.join('.'), message: issue.message }],
    ),
  })
}

const toColumns = (maps: readonly string[]): Record<string, string> =>
  Object.fromEntries(maps.map((map) => [map.slice(0, map.lastIndexOf('=')), map.slice(map.lastIndexOf('=') + 1)]))

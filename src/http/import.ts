import { type ImportFormat, type ImportResult, importFindings, importFormats } from '../imports/imports.ts'
import { AppError, invalidInput } from '../kernel/errors.ts'
import type { WriteContext } from '../operation/context.ts'
import { isLockedDown, withholdFile } from '../operation/lockdown/lockdown.ts'
import { requireScope } from '../operation/operation.ts'
import { SourceName } from '../sources/model.ts'

const mimes = new Set([
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/json',
  'application/sarif+json',
])
const DEFAULT_SOURCE = 'import'

export type ImportFindings = (
  stream: ReadableStream<Uint8Array>,
  request: { source: string; format: ImportFormat },
  context: WriteContext,
) => Promise<ImportResult>

/** `POST /findings/import?source=NAME&format=ndjson|sarif`: imports a stream of findings atomically. */
export async function importRoute(
  request: Request,
  context: WriteContext,
  take: ImportFindings = importFindings,
): Promise<Response> {
  requireScope('Importing findings', 'admin', context.caller)
  const { source, format } = readQuery(new URL(request.url).searchParams)
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!mimes.has(type)) {
    throw new AppError('unsupported_media_type', 'Send findings with Content-Type: application/x-ndjson.')
  }
  if (request.body === null) throw invalidInput('The body is empty; send one finding per line.')
  try {
    return Response.json(await take(request.body, { source, format }, context))
  } catch (error) {
    throw error instanceof AppError && isLockedDown(context) ? withholdFile(error) : error
  }
}

function readQuery(query: URLSearchParams): { source: string; format: ImportFormat } {
  const unknown = [...query.keys()].filter((key) => key !== 'source' && key !== 'format')
  if (unknown.length > 0) {
    throw invalidInput('The query string may contain only source and format.', {
      issues: unknown.map((path) => ({ path, message: 'is not a known key; remove it or check its spelling.' })),
    })
  }
  const source = SourceName.safeParse(query.get('source') ?? DEFAULT_SOURCE)
  const format = importFormats.find((known) => known === (query.get('format') ?? 'ndjson'))
  if (source.success && format !== undefined) return { source: source.data, format }
  throw invalidInput('The query string is not valid; name a source, and ndjson or sarif as the format.', {
    issues: [
      ...(source.success
        ? []
        : [{ path: 'source', message: source.error.issues[0]?.message ?? 'is not a valid name.' }]),
      ...(format === undefined ? [{ path: 'format', message: `must be one of ${importFormats.join(', ')}.` }] : []),
    ],
  })
}

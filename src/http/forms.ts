import { AppError } from '../kernel/errors.ts'
import type { ExportFormat, FileWriters } from '../operation/operation.ts'

/** A form of an answer over HTTP. */
export type Form = 'json' | ExportFormat

interface FormFacts {
  mediaType: string
  contentType: string
}

export const forms: Readonly<Record<Form, FormFacts>> = {
  json: { mediaType: 'application/json', contentType: 'application/json' },
  csv: { mediaType: 'text/csv', contentType: 'text/csv; charset=utf-8; header=present' },
  sarif: { mediaType: 'application/sarif+json', contentType: 'application/sarif+json' },
  ndjson: { mediaType: 'application/x-ndjson', contentType: 'application/x-ndjson' },
}

interface Range {
  type: string
  quality: number
}

/** The media ranges of an Accept header (RFC 9110, 12.5.1), in their order. */
function readAccept(accept: string): Range[] {
  return accept.split(',').flatMap((part) => {
    const [type = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase())
    if (type === '') return []
    const given = parameters.find((each) => /^q\s*=/.test(each))
    const quality = given === undefined ? 1 : Number(given.slice(given.indexOf('=') + 1))
    return [{ type, quality: Number.isNaN(quality) ? 0 : quality }]
  })
}

/** How closely a range names a media type: 3 the type itself, 1 any type, 0 not. */
function closeness(type: string, mediaType: string): number {
  if (type === mediaType) return 3
  // A browser that asks for a page gets JSON.
  if (type === 'text/html') return mediaType === forms.json.mediaType ? 3 : 0
  if (type === '*/*') return 1
  return type.endsWith('/*') && mediaType.startsWith(type.slice(0, -1)) ? 2 : 0
}

/**
 * The form that an Accept header asks for: the one of the highest quality, then the one named most closely, then first.
 * @throws AppError `not_acceptable` if it names none
 */
export function chooseForm(accept: string | null, files: FileWriters): Form {
  const ranges = readAccept(accept ?? '')
  if (ranges.length === 0) return 'json'
  const offered: Form[] = ['json', ...(Object.keys(files) as ExportFormat[])]
  const ranked = offered.flatMap((form) => {
    const matching = ranges
      .map((range, place) => ({ ...range, place, close: closeness(range.type, forms[form].mediaType) }))
      .filter(({ close }) => close > 0)
      .sort((a, b) => b.close - a.close || b.quality - a.quality)
    const [best] = matching
    return best === undefined || best.quality <= 0 ? [] : [{ form, ...best }]
  })
  const [chosen] = ranked.sort((a, b) => b.quality - a.quality || b.close - a.close || a.place - b.place)
  if (chosen !== undefined) return chosen.form
  const known = offered.map((form) => forms[form].mediaType).join(', ')
  throw new AppError(
    'not_acceptable',
    `This path answers with ${known}; name one of them in Accept, or leave it out.`,
    {
      issues: [{ path: 'Accept', message: `must be one of ${known}.` }],
    },
  )
}

/** How long a file waits for a reader that takes nothing: meanwhile it may hold a snapshot. */
const MAX_STALL_MS = 60_000

/** A file as a response, of which a part is written whenever the reader has taken the one before. */
export async function toFileResponse(parts: AsyncGenerator<string>, form: Form, name: string): Promise<Response> {
  const first = await parts.next()
  const encoder = new TextEncoder()
  let stalled: NodeJS.Timeout | undefined
  let next: Promise<IteratorResult<string>> | undefined = Promise.resolve(first)
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stalled)
        const { done, value } = await (next ?? parts.next())
        next = undefined
        if (done) return controller.close()
        controller.enqueue(encoder.encode(value))
        stalled = setTimeout(() => {
          controller.error(new AppError('unavailable', 'The export was read too slowly; request it again.'))
          void parts.return(undefined)
        }, MAX_STALL_MS)
        stalled.unref()
      },
      async cancel() {
        clearTimeout(stalled)
        await parts.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: {
      'content-type': forms[form].contentType,
      'content-disposition': `attachment; filename="${name}.${form}"`,
      vary: 'accept',
    },
  })
}

import type { WriteContext } from '../operation/context.ts'
import { call } from '../operation/operation.ts'
import { describeChange } from '../watches/messages.ts'
import { watchFeed } from '../watches/operations.ts'
import type { WatchStateChange } from '../watches/view.ts'

export const FEED_PATH = '/semantic/watches.atom'

/** The last changes of state of all watches as an Atom feed (RFC 4287). */
export async function feedRoute(context: WriteContext, base: string): Promise<Response> {
  const { items } = (await call(watchFeed, {}, context)) as { items: WatchStateChange[] }
  const updated = items[0]?.at ?? new Date(0).toISOString()
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    '<title>Assay watches</title>',
    `<id>${escapeXml(`${base}${FEED_PATH}`)}</id>`,
    `<link rel="self" href="${escapeXml(`${base}${FEED_PATH}`)}"/>`,
    '<author><name>Assay</name></author>',
    `<updated>${updated}</updated>`,
    ...items.flatMap((change) => toEntry(change, base)),
    '</feed>',
  ]
  return new Response(`${lines.join('\n')}\n`, { headers: { 'content-type': 'application/atom+xml; charset=utf-8' } })
}

function toEntry(change: WatchStateChange, base: string): string[] {
  const { id, at, watch, state, previousState } = change
  const title = escapeXml(describeChange(change))
  return [
    '<entry>',
    `<id>urn:uuid:${escapeXml(id)}</id>`,
    `<title>${title}</title>`,
    `<updated>${at}</updated>`,
    `<link href="${escapeXml(`${base}/semantic/watches/${watch}`)}"/>`,
    `<category term="${state}"/>`,
    `<content type="text">${title} (before: ${previousState})</content>`,
    '</entry>',
  ]
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** What XML 1.0 has no form for, such as most control characters and lone surrogates. */
const notXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

function escapeXml(text: string): string {
  return text.replace(notXml, '').replace(/[&<>"]/g, (character: string) => entities[character] ?? character)
}

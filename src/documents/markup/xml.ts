import type { AssayDocument } from '../document.ts'
import { createFlow } from '../text/flow.ts'
import type { ParseOptions } from './html.ts'
import { readMarkup } from './markup.ts'

const MAX_VALUE_CHARS = 4_096

/** Parses generic XML: an element with only a short text becomes an attribute part, longer text is body text. */
export function parseXml(source: string, options: ParseOptions = {}): AssayDocument {
  const flow = createFlow({ ...options, source })
  let pending: { raw: string; at: number; encoded: boolean }[] = []

  const flush = (at: number) => {
    for (const { raw, at: start, encoded } of pending) encoded ? flow.encoded(raw, start) : flow.plain(raw, start)
    if (pending.length > 0) flow.breakLine(at)
    pending = []
  }

  const { flattened } = readMarkup(
    source,
    { xml: true },
    {
      open(element) {
        flush(element.start)
        for (const { name, raw, at } of element.attributes) {
          if (!name.startsWith('xmlns')) flow.part('attribute', raw, at, { label: name, encoded: true })
        }
        return (at) => {
          const [only, ...more] = pending
          if (only !== undefined && more.length === 0 && only.raw.length <= MAX_VALUE_CHARS) {
            const label = element.name.slice(element.name.indexOf(':') + 1)
            flow.part('attribute', only.raw, only.at, { label, encoded: only.encoded })
            pending = []
          }
          flush(at)
        }
      },
      text(raw, at) {
        if (raw.trim() !== '') pending.push({ raw, at, encoded: true })
      },
      cdata: (raw, at) => void pending.push({ raw, at, encoded: false }),
      comment: (raw, at) => flow.part('comment', raw, at),
    },
  )
  flush(source.length)
  if (flattened) flow.note('Elements are nested too deeply; the deepest are read as plain text.')
  return flow.finish('application/xml')
}

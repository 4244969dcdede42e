import { Parser } from 'htmlparser2'

const MAX_ANCHORS = 20_000

/** The anchors of an HTML page: its `id` and `name` attributes. */
export function readAnchors(html: string): Set<string> {
  const anchors = new Set<string>()
  const add = (name: string | undefined) => {
    if (name !== undefined && name !== '' && anchors.size < MAX_ANCHORS) anchors.add(name)
  }
  const parser = new Parser({
    onopentagname() {},
    onattribute(name, value) {
      if (name === 'id' || name === 'name') add(value)
    },
  })
  parser.write(html)
  parser.end()
  return anchors
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * The anchor that a fragment refers to; undefined for fragments that are not anchors: top, text, line numbers,
 * client-side routes.
 */
export function readWantedAnchor(url: URL): string | undefined {
  const fragment = url.hash.slice(1).split(':~:')[0] ?? ''
  const scripted = /^(?:[!/]|L\d+(?:-L?\d+)?$|L\d+C\d+|[^=]*=)/
  return fragment === '' || /^top$/i.test(fragment) || scripted.test(fragment) ? undefined : fragment
}

/**
 * Case-sensitive, as in browsers: as written, percent-decoded, and with the `user-content-` prefix that some sites add.
 */
export function hasFragment(anchors: ReadonlySet<string>, wanted: string): boolean {
  const decoded = decode(wanted)
  return [wanted, decoded, `user-content-${wanted}`, `user-content-${decoded}`].some((name) => anchors.has(name))
}

/** The anchor that the wiki gives a heading: its words joined by dashes; the second of a name gets `.1`. */
export function createSlugs(): (heading: string) => string {
  const seen = new Map<string, number>()
  return (heading) => {
    const slug = heading.trim().replace(/\s+/g, '-')
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    return times === 0 ? slug : `${slug}.${times}`
  }
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** An anchor in the form in which two are compared: decoded, without blanks and dashes, in lower case. */
function normalizeAnchor(anchor: string): string {
  return decodePercent(anchor.replace(/^#/, ''))
    .normalize('NFC')
    .replace(/[\s\u00A0_-]+/g, '')
    .toLowerCase()
}

/**
 * Whether a page has an anchor, in any of the forms that the wiki has written them over the years: `Heading-Text`,
 * `HeadingText`, and both behind the page's title and a dash.
 */
export function hasAnchor(page: { title: string; anchors: readonly string[] }, wanted: string): boolean {
  const name = normalizeAnchor(wanted)
  if (name === '' || name === 'top') return true
  const known = new Set(page.anchors.map(normalizeAnchor))
  if (known.has(name)) return true
  const title = normalizeAnchor(page.title)
  return title !== '' && name.startsWith(title) && known.has(name.slice(title.length))
}

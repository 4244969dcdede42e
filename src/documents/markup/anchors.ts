/**
 * Generates heading anchors as the wiki does: words joined by dashes, with `.1`, `.2`, … appended to repeated headings.
 */
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

/** Normalizes an anchor for comparison: percent-decoded, without whitespace, dashes and underscores, in lower case. */
function normalizeAnchor(anchor: string): string {
  return decodePercent(anchor.replace(/^#/, ''))
    .normalize('NFC')
    .replace(/[\s\u00A0_-]+/g, '')
    .toLowerCase()
}

/**
 * Whether a page has an anchor, in any form that versions of the wiki have generated: `Heading-Text`, `HeadingText`,
 * and either one prefixed with the page title and a dash.
 */
export function hasAnchor(page: { title: string; anchors: readonly string[] }, wanted: string): boolean {
  const name = normalizeAnchor(wanted)
  if (name === '' || name === 'top') return true
  const known = new Set(page.anchors.map(normalizeAnchor))
  if (known.has(name)) return true
  const title = normalizeAnchor(page.title)
  return title !== '' && name.startsWith(title) && known.has(name.slice(title.length))
}

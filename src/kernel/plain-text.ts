/** Takes from a text what Markdown makes links, images and elements of; every word stays, and so do addresses. */
export function breakMarkdown(text: string): string {
  return text.replaceAll(/\](?=[([:])/g, '] ').replaceAll(/<(?=[a-z/!?])/gi, '< ')
}

/** The same for every text among the members of an object, and in lists of texts. */
export function breakMarkdownIn<Members extends object>(members: Members, keys: readonly string[]): Members {
  const changed = Object.entries(members).map(([key, value]): [string, unknown] => {
    if (!keys.includes(key)) return [key, value]
    if (typeof value === 'string') return [key, breakMarkdown(value)]
    return [key, Array.isArray(value) ? value.map((each) => breakMarkdown(String(each))) : value]
  })
  return Object.fromEntries(changed) as Members
}

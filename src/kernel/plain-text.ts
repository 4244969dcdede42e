/** Breaks the syntax of links, images and elements in Markdown; all words and addresses are kept. */
export function defuseMarkdown(text: string): string {
  return text.replaceAll(/\](?=[([:])/g, '] ').replaceAll(/<(?=[a-z/!?])/gi, '< ')
}

/** Applies `breakMarkdown` to the named members of an object that are texts or lists of texts. */
export function breakMarkdownIn<Members extends object>(members: Members, keys: readonly string[]): Members {
  const changed = Object.entries(members).map(([key, value]): [string, unknown] => {
    if (!keys.includes(key)) return [key, value]
    if (typeof value === 'string') return [key, defuseMarkdown(value)]
    return [key, Array.isArray(value) ? value.map((each) => defuseMarkdown(String(each))) : value]
  })
  return Object.fromEntries(changed) as Members
}

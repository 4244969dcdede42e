const quote = (text: string) => JSON.stringify(text)

interface Block {
  start: number
  end: number
}

/** From the header of a table to the next header; its sub-tables belong to it. */
function findBlock(text: string, table: string): Block | undefined {
  const escaped = table.replaceAll('.', '\\s*\\.\\s*')
  const header = new RegExp(`^[ \\t]*\\[\\s*${escaped}\\s*\\][^\\n]*(?:\\n|$)`, 'm').exec(text)
  if (header === null) return undefined
  const own = new RegExp(`^[ \\t]*\\[\\s*${escaped}\\s*\\.`)
  let end = header.index + header[0].length
  for (const line of text.slice(end).split(/(?<=\n)/)) {
    if (/^[ \t]*\[/.test(line) && !own.test(line)) break
    end += line.length
  }
  // What is written above the next header belongs to that.
  const kept = /(?<=\n)(?:[ \t]*(?:#[^\n]*)?\n)+$/.exec(text.slice(0, end))?.[0] ?? ''
  return { start: header.index, end: end === text.length ? end : end - kept.length }
}

/** Sets a server of `[mcp_servers.<name>]`, and leaves every other line as it is. */
export function setTable(text: string, table: string, entry: { command: string; args: readonly string[] }): string {
  const lines = [`[${table}]`, `command = ${quote(entry.command)}`, `args = [${entry.args.map(quote).join(', ')}]`, '']
  const written = lines.join('\n')
  const block = findBlock(text, table)
  if (block !== undefined) return text.slice(0, block.start) + written + text.slice(block.end)
  const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n'
  return `${text}${gap}${written}`
}

export function removeTable(text: string, table: string): string {
  const block = findBlock(text, table)
  if (block === undefined) return text
  const before = text.slice(0, block.start)
  return (block.end === text.length ? before.replace(/\n\n$/, '\n') : before) + text.slice(block.end)
}

import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('./cases/', import.meta.url)

export interface OwnCase {
  language: string
  /** What the sentences are about: override, addressed, leak. */
  topic: string
  isAttempt: boolean
  text: string
}

/** Own sentences, a file for each language: `# topic`, then `+ attempt` or `- harmless` lines. */
export const ownCases: readonly OwnCase[] = readdirSync(folder).flatMap((file) => {
  let topic = ''
  return readFileSync(new URL(file, folder), 'utf8')
    .split('\n')
    .flatMap((line): OwnCase[] => {
      if (line.startsWith('# ')) topic = line.slice(2)
      if (!/^[+-] /.test(line)) return []
      return [{ language: file.replace('.txt', ''), topic, isAttempt: line.startsWith('+'), text: line.slice(2) }]
    })
})

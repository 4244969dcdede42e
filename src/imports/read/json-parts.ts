/**
 * A part of a JSON text: an item of a list, or at level 0 the whole text without the items that were yielded before.
 */
export interface JsonPart {
  level: number
  text: string
  /** The line on which it begins, from 1. */
  line: number
}

/** Why a text could not be split. */
export class JsonPartsError extends Error {
  readonly reason: 'malformed' | 'too_long' | 'too_deep'
  /** The line on which it was found, from 1. */
  readonly line: number

  constructor(reason: JsonPartsError['reason'], line: number) {
    super(reason)
    this.reason = reason
    this.line = line
  }
}

interface Frame {
  isObject: boolean
  /** If this object is an item, its level. */
  item?: number | undefined
  /** If the items of this list are yielded, their level. */
  list?: number | undefined
  key: string
  awaitsKey: boolean
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const blank = new Set([0x20, 0x09, 0x0a, 0x0d])
const MAX_PART_LENGTH = 32 * 1024 * 1024
/** Functions that call themselves for each level run out of stack at some thousands. */
const MAX_DEPTH = 500

/**
 * Yields the items of nested lists while a JSON text is read, inner ones first: for the path `['runs', 'results']` each
 * result has level 2; each run has level 1, comes after its results, and has empty `results`. An empty name at the
 * beginning of the path is the text itself. The yielded texts may not be valid JSON; the caller finds out by parsing them.
 */
export async function* splitJson(
  texts: AsyncIterable<string>,
  path: readonly string[],
): AsyncGenerator<JsonPart, void, undefined> {
  const splitter = createSplitter(path)
  for await (const text of texts) yield* splitter.take(text)
  yield splitter.end()
}

function createSplitter(path: readonly string[]) {
  const stack: Frame[] = []
  /** Texts being collected: the whole, and the open item of each level. */
  const open: string[] = ['']
  /** The line that is being read, and those on which the open texts begin. */
  let line = 1
  const lines = [1]
  let inString = false
  let isEscaped = false
  /** The key being read. */
  let key: string | undefined
  /** After a comma in a list, another item must follow. */
  let awaitsItem = false

  const write = (text: string) => {
    const longer = (open.pop() ?? '') + text
    if (longer.length > MAX_PART_LENGTH) throw new JsonPartsError('too_long', line)
    open.push(longer)
  }

  const push = (isObject: boolean) => {
    if (stack.length >= MAX_DEPTH) throw new JsonPartsError('too_deep', line)
    const above = stack.at(-1)
    const level = above === undefined ? 0 : above.list
    const isRoot = above === undefined && path[0] === ''
    const isList = !isObject && (isRoot || (above?.item !== undefined && path[above.item] === above.key))
    const list = isList ? (above?.item ?? 0) + 1 : undefined
    stack.push({ isObject, item: isObject ? level : undefined, list, key: '', awaitsKey: isObject })
  }

  /** The item that ends at a comma or at the end of its list. */
  const takeItem = (level: number): JsonPart | undefined =>
    open.length > level ? { level, text: open.pop() ?? '', line: lines[level] ?? 1 } : undefined

  function* take(text: string): Generator<JsonPart> {
    let from = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (inString) {
        if (isEscaped) isEscaped = false
        else if (code === BACKSLASH) isEscaped = true
        else if (code === QUOTE) {
          inString = false
          if (key !== undefined) {
            endKey(key + text.slice(from, at + 1))
            write(text.slice(from, at + 1))
            from = at + 1
            key = undefined
          }
        }
        continue
      }
      if (code === 0x0a) line++
      const frame = stack.at(-1)
      if (
        frame?.list !== undefined &&
        open.length === frame.list &&
        code !== 0x5d &&
        code !== 0x2c &&
        !blank.has(code)
      ) {
        write(text.slice(from, at))
        from = at
        lines[open.length] = line
        open.push('')
        awaitsItem = false
      }
      if (code === QUOTE) {
        inString = true
        if (frame?.isObject === true && frame.item !== undefined && frame.awaitsKey) {
          write(text.slice(from, at))
          from = at
          key = ''
        }
      } else if (code === 0x7b || code === 0x5b) push(code === 0x7b)
      else if (code === 0x3a && frame !== undefined) frame.awaitsKey = false
      else if (code === 0x2c && frame !== undefined) {
        if (frame.isObject) frame.awaitsKey = true
        if (frame.list === undefined) continue
        write(text.slice(from, at))
        from = at + 1
        const item = takeItem(frame.list)
        if (item === undefined) throw new JsonPartsError('malformed', line)
        awaitsItem = true
        yield item
      } else if (code === 0x7d || code === 0x5d) {
        if (frame === undefined || frame.isObject !== (code === 0x7d)) throw new JsonPartsError('malformed', line)
        if (frame.list !== undefined) {
          if (awaitsItem) throw new JsonPartsError('malformed', line)
          write(text.slice(from, at))
          from = at
          const item = takeItem(frame.list)
          if (item !== undefined) yield item
        }
        stack.pop()
      }
    }
    if (key !== undefined) key += text.slice(from)
    write(text.slice(from))
  }

  function endKey(written: string): void {
    const frame = stack.at(-1)
    try {
      if (frame !== undefined) frame.key = JSON.parse(written) as string
    } catch {
      throw new JsonPartsError('malformed', line)
    }
  }

  return {
    take,
    end: (): JsonPart => {
      if (stack.length > 0 || inString) throw new JsonPartsError('malformed', line)
      return { level: 0, text: open[0] ?? '', line: 1 }
    },
  }
}

import { createHash } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import { threadId } from 'node:worker_threads'
import { setYoungGrowth } from './young-generation.ts'

// Loads the scripts of the built program. To compile them takes V8 a third of a start, so what it has compiled is kept
// beside them, as the code cache that V8 offers for this, and the next process on the same version of Node.js reads it.
// Nothing depends on that file: where it is missing, damaged or cannot be written, scripts are compiled.

interface Module {
  exports: unknown
}

type Run = (exports: unknown, require: (name: string) => unknown, module: Module, file: string, folder: string) => void

/** Where the compiled code of a script is in the file, and the SHA-1 of it, because V8 does not check what it reads. */
type Place = readonly [offset: number, length: number, sha1: string]

interface OpenedCache {
  /** Undefined when there is none. */
  file: number | undefined
  places: ReadonlyMap<string, Place>
}

const [HEAD, TAIL] = ['(function (exports, require, module, __filename, __dirname) {', '\n})']
/** V8 copies what is not aligned. */
const ALIGNMENT = 8
const LENGTH_BYTES = 4

const root = __dirname
const requirePackage = createRequire(__filename)
const modules = new Map<string, Module>()
/** Code is accepted by the same version of V8 with the same flags only. */
const tag = cachedDataVersionTag()
const cacheFile = join(root, 'code-cache', `${process.version}-${process.arch}-${tag.toString(16)}`)
const compiled = new Map<string, Script>()
let opened: OpenedCache | undefined

const toSha1 = (data: string | Uint8Array) => createHash('sha1').update(data).digest('base64')

function readPart(file: number, offset: number, length: number): Buffer {
  const part = Buffer.allocUnsafeSlow(length)
  return part.subarray(0, readSync(file, part, 0, length, offset))
}

const toStart = (indexBytes: number) => Math.ceil((LENGTH_BYTES + indexBytes) / ALIGNMENT) * ALIGNMENT

function openCache(): OpenedCache {
  let file: number | undefined
  try {
    file = openSync(cacheFile, 'r')
    const length = readPart(file, 0, LENGTH_BYTES).readUInt32LE()
    const start = toStart(length)
    const index = JSON.parse(readPart(file, LENGTH_BYTES, length).toString()) as Record<string, Place>
    const places = Object.entries(index).map(
      ([key, [offset, size, sha1]]) => [key, [start + offset, size, sha1]] as const,
    )
    return { file, places: new Map(places) }
  } catch {
    return { file, places: new Map() }
  }
}

function closeCache({ file }: OpenedCache): void {
  if (file !== undefined) closeSync(file)
}

/** Undefined unless the file holds the code, undamaged. */
function readCompiled({ file, places }: OpenedCache, key: string): Buffer | undefined {
  const place = places.get(key)
  if (place === undefined || file === undefined) return undefined
  const [offset, length, sha1] = place
  try {
    const data = readPart(file, offset, length)
    return toSha1(data) === sha1 ? data : undefined
  } catch {
    return undefined
  }
}

/** The growth of the young generation is a flag that changes while a server starts. */
function underFirstFlags<T>(work: () => T): T {
  if (cachedDataVersionTag() === tag) return work()
  setYoungGrowth(2)
  if (cachedDataVersionTag() !== tag) return work()
  try {
    return work()
  } finally {
    setYoungGrowth(1)
  }
}

function compile(path: string): Run {
  const source = readFileSync(path, 'utf8')
  const key = toSha1(source)
  opened ??= openCache()
  const cachedData = readCompiled(opened, key)
  const options = { filename: path, columnOffset: -HEAD.length, ...(cachedData === undefined ? {} : { cachedData }) }
  const script = underFirstFlags(() => new Script(HEAD + source + TAIL, options))
  if (script.cachedDataRejected !== false) compiled.set(key, script)
  return script.runInThisContext() as Run
}

function load(path: string): unknown {
  const known = modules.get(path)
  if (known !== undefined) return known.exports
  const module: Module = { exports: {} }
  modules.set(path, module)
  const folder = dirname(path)
  const require = (name: string) => (name.startsWith('.') ? load(join(folder, name)) : requirePackage(name))
  compile(path)(module.exports, require, module, path, folder)
  return module.exports
}

/** The file's content: the length of the index, the index as JSON, and the compiled code of each script. */
function joinParts(parts: ReadonlyMap<string, Buffer>): Buffer {
  let end = 0
  const index: Record<string, Place> = {}
  for (const [key, part] of parts) {
    index[key] = [end, part.length, toSha1(part)]
    end += Math.ceil(part.length / ALIGNMENT) * ALIGNMENT
  }
  const text = Buffer.from(JSON.stringify(index))
  const start = toStart(text.length)
  const whole = Buffer.alloc(start + end)
  whole.writeUInt32LE(text.length)
  text.copy(whole, LENGTH_BYTES)
  for (const [key, part] of parts) part.copy(whole, start + (index[key]?.[0] ?? 0))
  return whole
}

function listParts(): Map<string, Buffer> {
  const present = openCache()
  const parts = new Map<string, Buffer>()
  for (const key of present.places.keys()) {
    const part = readCompiled(present, key)
    if (part !== undefined) parts.set(key, part)
  }
  closeCache(present)
  underFirstFlags(() => {
    for (const [key, script] of compiled) parts.set(key, script.createCachedData())
  })
  return parts
}

/** Adds what this process had to compile. Of two processes that do so at once, the work of one stays. */
function save(): void {
  if (compiled.size === 0) return
  const temporary = `${cacheFile}.${process.pid}-${threadId}`
  try {
    mkdirSync(dirname(cacheFile), { recursive: true })
    const file = openSync(temporary, 'wx')
    try {
      writeFileSync(file, joinParts(listParts()))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    // Some systems replace no file that is open.
    if (opened !== undefined) closeCache(opened)
    renameSync(temporary, cacheFile)
  } catch {
    removeQuietly(temporary)
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // The folder may belong to somebody else.
  }
}

/** Runs a script of the program, named by its path below `src` without extension: `main`, `detectors/detect.worker`. */
export function run(name: string): void {
  const path = join(root, 'scripts', `${name}.js`)
  // Only Node's own loader reads source maps.
  if (process.sourceMapsEnabled) requirePackage(path)
  else {
    process.once('exit', save)
    load(path)
  }
}

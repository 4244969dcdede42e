import { hash } from 'node:crypto'
import { closeSync, fstatSync, openSync, read, writeSync } from 'node:fs'
import { endianness } from 'node:os'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { comboSlots } from '../../findings/facets.ts'
import { openRegularFile } from '../../runtime/regular-file.ts'
import type { AnyColumn, EngineImage, ImageColumn } from '../image.ts'
import { ownFacets, placeFacets } from '../index/assets.ts'

/** To be incremented when the columns of an image change. */
const FORMAT = 4
const MAGIC = Buffer.from('ASAYENG\n')
const MAX_HEADER_BYTES = 16 * 1024 * 1024
const ALIGNMENT = 8
/** Bytes that are read, written and checked at once: few, because questions are answered in between. */
const STEP_BYTES = 1024 * 1024

const columnTypes = { Uint8Array, Uint16Array, Uint32Array, Float64Array } as const
type ColumnName = keyof typeof columnTypes

/** What a snapshot must agree in with the program and the database that read it. */
export interface SnapshotIdentity {
  mark: string
  schema: number
  program: string
}

interface Header extends SnapshotIdentity {
  format: number
  layout: string
  columns: { type: ColumnName; length: number; crc: number }[]
}

const readAt = promisify(read)

/** The snapshot cannot be used; the message is the reason. */
export class UnusableSnapshot extends Error {}

/** The order of bytes and of the facets in an image. */
const layout = [endianness(), ...comboSlots, ...placeFacets, ...ownFacets].join(' ')

const bytesOf = ({ column, used }: ImageColumn): Uint8Array =>
  new Uint8Array(column.buffer, column.byteOffset, used * column.BYTES_PER_ELEMENT)

const toPadding = (length: number): number => (ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT

function* stepsOf(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += STEP_BYTES) yield bytes.subarray(at, at + STEP_BYTES)
}

/**
 * Writes an image into a new file with mode 0600: a header with the length and the checksum of every column, then the
 * columns. Returns the SHA-256 of the header; undefined when `isLate` became true before the end.
 */
export function writeSnapshotFile(
  file: string,
  image: EngineImage,
  identity: SnapshotIdentity,
  isLate: () => boolean = () => false,
): string | undefined {
  const columns: Header['columns'] = []
  for (const item of image) {
    let crc = 0
    for (const step of stepsOf(bytesOf(item))) {
      if (isLate()) return undefined
      crc = crc32(step, crc)
    }
    columns.push({ type: item.column.constructor.name as ColumnName, length: item.used, crc })
  }
  const header = Buffer.from(JSON.stringify({ ...identity, format: FORMAT, layout, columns } satisfies Header))
  const start = Buffer.alloc(MAGIC.length + 4)
  MAGIC.copy(start)
  start.writeUInt32LE(header.length, MAGIC.length)
  const handle = openSync(file, 'wx', 0o600)
  try {
    const write = (bytes: Uint8Array) => {
      for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
    }
    write(Buffer.concat([start, header, Buffer.alloc(toPadding(start.length + header.length))]))
    for (const item of image) {
      const bytes = bytesOf(item)
      for (const step of stepsOf(bytes)) {
        if (isLate()) return undefined
        write(step)
      }
      write(Buffer.alloc(toPadding(bytes.length)))
    }
  } finally {
    closeSync(handle)
  }
  return hash('sha256', header)
}

/**
 * Reads and verifies all of a snapshot: columns are read in parallel by the thread pool of Node, while this thread
 * computes their checksums in steps.
 * @throws UnusableSnapshot when it is not exactly the file that was written with this digest, or was written by another
 * version.
 */
export async function readSnapshotFile(file: string, identity: SnapshotIdentity, digest: string): Promise<EngineImage> {
  const handle = openFile(file)
  try {
    const size = fstatSync(handle).size
    const start = Buffer.alloc(MAGIC.length + 4)
    await readSteps(handle, start, 0)
    const length = start.readUInt32LE(MAGIC.length)
    if (!start.subarray(0, MAGIC.length).equals(MAGIC) || length > Math.min(size, MAX_HEADER_BYTES)) {
      throw new UnusableSnapshot('its header is damaged')
    }
    const text = Buffer.alloc(length)
    await readSteps(handle, text, start.length)
    if (hash('sha256', text) !== digest) throw new UnusableSnapshot('its header is damaged')
    const header = JSON.parse(text.toString('utf8')) as Header
    requireSame(header, identity)
    let end = start.length + length + toPadding(start.length + length)
    const places = header.columns.map(({ type, length: used }) => {
      const [at, bytes] = [end, used * columnTypes[type].BYTES_PER_ELEMENT]
      end += bytes + toPadding(bytes)
      return at
    })
    if (size < end) throw new UnusableSnapshot('it is too short')
    const reading = header.columns.map((column, index) => readColumn(handle, column, places[index] ?? 0))
    // The file is closed only after the last read.
    await Promise.allSettled(reading)
    const columns = await Promise.all(reading)
    return columns.map((column) => ({ column, used: column.length }))
  } finally {
    closeSync(handle)
  }
}

async function readColumn(
  handle: number,
  { type, length, crc }: Header['columns'][number],
  position: number,
): Promise<AnyColumn> {
  const column = new columnTypes[type](length)
  let found = 0
  await readSteps(handle, new Uint8Array(column.buffer), position, (step) => {
    found = crc32(step, found)
  })
  if (found !== crc) throw new UnusableSnapshot('a column does not match its checksum')
  return column
}

function openFile(file: string): number {
  try {
    return openRegularFile(file)
  } catch (error) {
    throw new UnusableSnapshot('its file cannot be opened', { cause: error })
  }
}

function requireSame(header: Header, { mark, schema, program }: SnapshotIdentity): void {
  if (header.mark !== mark) throw new UnusableSnapshot('it is another snapshot')
  if (header.format !== FORMAT || header.layout !== layout || header.program !== program) {
    throw new UnusableSnapshot('another version of the program wrote it')
  }
  if (header.schema !== schema) throw new UnusableSnapshot('the schema of the database has changed')
}

async function readSteps(
  handle: number,
  bytes: Uint8Array,
  position: number,
  each: (step: Uint8Array) => void = () => {},
): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await readAt(handle, bytes, at, Math.min(STEP_BYTES, bytes.length - at), position + at)
    if (bytesRead === 0) throw new UnusableSnapshot('it is too short')
    each(bytes.subarray(at, at + bytesRead))
    at += bytesRead
  }
}

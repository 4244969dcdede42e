import { findImportLine } from '../read/import-line.ts'
import type { ImportRow } from '../read/import-row.ts'
import { eachLine, type RefusedLine } from '../read/ndjson.ts'
import { packBlock, partRows } from './import-block.ts'
import { Staging } from './staging.ts'

/** A piece of a file, converted into blocks ready to be stored. */
export interface ConvertedPiece {
  lines: number
  findings: number
  blocks: PartBlock[]
}

/** Findings of one part; all findings of an asset are in the same part. */
export interface PartBlock {
  part: number
  size: number
  data: Uint8Array<ArrayBuffer>
}

export type Conversion = ConvertedPiece | { refused: RefusedLine }

/**
 * Creates a function that checks the lines of a piece, none of which may be dated after `latest`, and converts them
 * into one block for each of the parts separated by `bounds`, which may be computed from the rows of the piece. A piece
 * with a bad line is not converted.
 */
export function createConverter(
  fingerprintKey: Uint8Array,
  latest = Number.POSITIVE_INFINITY,
): (piece: Uint8Array, bounds: readonly string[] | ((rows: readonly ImportRow[]) => readonly string[])) => Conversion {
  const staging = new Staging(fingerprintKey)
  return (piece, bounds) => {
    const take = (value: unknown) => {
      const line = findImportLine(value, latest)
      if (line !== undefined) staging.add(line, false)
      return line !== undefined
    }
    const read = eachLine(piece, take, (bytes, from) => staging.addPlain(bytes, from, latest))
    const rows = staging.take()
    if ('line' in read) return { refused: read }
    const parted = partRows(rows, typeof bounds === 'function' ? bounds(rows) : bounds)
    return { lines: read.lines, findings: rows.length, blocks: toBlocks(parted) }
  }
}

export const toBlocks = (parted: readonly (readonly ImportRow[])[]): PartBlock[] =>
  parted.flatMap((rows, part) => (rows.length === 0 ? [] : [{ part, size: rows.length, data: packBlock(rows) }]))

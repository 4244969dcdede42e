import { findImportLine, type ImportRow } from '../read/import-line.ts'
import { eachLine, type RefusedLine } from '../read/ndjson.ts'
import { packBlock, partRows } from './import-block.ts'
import { Staging } from './staging.ts'

/** A piece of a file, made into blocks that may be stored. */
export interface ConvertedPiece {
  lines: number
  findings: number
  blocks: PartBlock[]
}

/** Findings of some assets; all findings of an asset are in one part. */
export interface PartBlock {
  part: number
  size: number
  data: Uint8Array<ArrayBuffer>
}

export type Conversion = ConvertedPiece | { refused: RefusedLine }

/**
 * Checks the lines of pieces, of which none may be dated after `latest`, and makes blocks of them, in the parts that `bounds` tell apart; nothing is made of a piece
 * with a bad line. `bounds` may be found in the rows of a piece.
 */
export function createConverter(
  fingerprintKey: Uint8Array,
  latest?: number,
): (piece: Uint8Array, bounds: readonly string[] | ((rows: readonly ImportRow[]) => readonly string[])) => Conversion {
  const staging = new Staging(fingerprintKey)
  return (piece, bounds) => {
    const read = eachLine(piece, (value) => {
      const line = findImportLine(value, latest)
      if (line !== undefined) staging.add(line, false)
      return line !== undefined
    })
    const rows = staging.take()
    if ('line' in read) return { refused: read }
    const parted = partRows(rows, typeof bounds === 'function' ? bounds(rows) : bounds)
    return { lines: read.lines, findings: rows.length, blocks: toBlocks(parted) }
  }
}

export const toBlocks = (parted: readonly (readonly ImportRow[])[]): PartBlock[] =>
  parted.flatMap((rows, part) => (rows.length === 0 ? [] : [{ part, size: rows.length, data: packBlock(rows) }]))

import { packBlock, partRows } from './import-block.ts'
import { findImportLine } from './import-line.ts'
import { eachLine, type RefusedLine } from './ndjson.ts'
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

/** Checks the lines of pieces and makes blocks of them, in so many parts; nothing is made of a piece with a bad line. */
export function createConverter(fingerprintKey: Uint8Array): (piece: Uint8Array, parts: number) => Conversion {
  const staging = new Staging(fingerprintKey)
  return (piece, parts) => {
    const read = eachLine(piece, (value) => {
      const line = findImportLine(value)
      if (line !== undefined) staging.add(line, false)
      return line !== undefined
    })
    const rows = staging.take()
    if ('line' in read) return { refused: read }
    return { lines: read.lines, findings: rows.length, blocks: toBlocks(partRows(rows, parts)) }
  }
}

export const toBlocks = (parted: readonly Parameters<typeof packBlock>[0][]): PartBlock[] =>
  parted.flatMap((rows, part) => (rows.length === 0 ? [] : [{ part, size: rows.length, data: packBlock(rows) }]))

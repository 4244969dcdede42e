import { findImportLine } from '../read/import-line.ts'
import type { ImportRow } from '../read/import-row.ts'
import { eachLine, type RefusedLine } from '../read/ndjson.ts'
import { PackedAssets, packBlock, partRows } from './import-block.ts'
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
  /** Blocks of a part are in groups, which are stored one after the other. */
  group: number
  size: number
  data: Uint8Array<ArrayBuffer>
}

export type Conversion = ConvertedPiece | { refused: RefusedLine }

/** Where the findings of a piece go. */
export interface Partition {
  /** Between the parts, see `partRows`. They may be computed from the rows of the piece. */
  bounds: readonly string[] | ((rows: readonly ImportRow[]) => readonly string[])
  /** The present group of each part; 0 if absent. */
  groups: readonly number[]
}

/** A partition whose bounds are known. */
export type KnownPartition = Partition & { bounds: readonly string[] }

/**
 * Creates a function that checks the lines of a piece, none of which may be dated after `latest`, and converts them
 * into one block for each part. A piece with a bad line is not converted. All pieces of a file that it converts have
 * the same bounds, and the groups only grow.
 *
 * @param converter a number of its own among the converters of a file
 */
export function createConverter(
  fingerprintKey: Uint8Array,
  { latest = Number.POSITIVE_INFINITY, converter = 0 }: { latest?: number | undefined; converter?: number } = {},
): (piece: Uint8Array, partition: Partition) => Conversion {
  const staging = new Staging(fingerprintKey)
  /** Those that this converter has packed in the present group of each part. */
  const packedAssets: PackedAssets[] = []
  const packedIn = (part: number, group: number): PackedAssets => {
    const known = packedAssets[part]
    if (known?.group === group) return known
    const packed = new PackedAssets(converter, group)
    packedAssets[part] = packed
    return packed
  }
  return (piece, { bounds, groups }) => {
    const take = (value: unknown) => {
      const line = findImportLine(value, latest)
      if (line !== undefined) staging.add(line, false)
      return line !== undefined
    }
    const read = eachLine(piece, take, (bytes, from) => staging.addPlain(bytes, from, latest))
    const rows = staging.take()
    if ('line' in read) return { refused: read }
    const parted = partRows(rows, typeof bounds === 'function' ? bounds(rows) : bounds)
    const blocks: PartBlock[] = []
    for (const [part, some] of parted.entries()) {
      const { length: size } = some
      const group = groups[part] ?? 0
      if (size > 0) blocks.push({ part, group, size, data: packBlock(some, { packed: packedIn(part, group) }) })
    }
    return { lines: read.lines, findings: rows.length, blocks }
  }
}

import { findImportLine } from '../read/import-line.ts'
import { eachLine, type RefusedLine } from '../read/ndjson.ts'
import type { AssetMemory } from './asset-numbers.ts'
import { type PartBlock, type Partition, Staging } from './staging.ts'

/** A piece of a file, converted into blocks ready to be stored. */
export interface ConvertedPiece {
  lines: number
  findings: number
  blocks: PartBlock[]
}

export type Conversion = ConvertedPiece | { refused: RefusedLine }

/** What is common to the pieces of a file. */
interface ConverterOptions {
  /** The latest allowed date of a finding. */
  latest?: number | undefined
  /** See `Staging`. */
  memory?: AssetMemory
  converter?: number
}

/**
 * Creates a function that checks the lines of a piece and converts them into one block for each part. A piece with a
 * bad line is not converted.
 */
export function createConverter(
  fingerprintKey: Uint8Array,
  { latest = Number.POSITIVE_INFINITY, ...shared }: ConverterOptions = {},
): (piece: Uint8Array, partition: Partition) => Conversion {
  const staging = new Staging(fingerprintKey, shared)
  const take = (value: unknown) => {
    const line = findImportLine(value, latest)
    if (line !== undefined) staging.add(line, false)
    return line !== undefined
  }
  return (piece, partition) => {
    staging.divide(partition)
    const read = eachLine(piece, take, (bytes, from) => staging.addPlain(bytes, from, latest))
    const { size } = staging
    const blocks = staging.take()
    return 'line' in read ? { refused: read } : { lines: read.lines, findings: size, blocks }
  }
}

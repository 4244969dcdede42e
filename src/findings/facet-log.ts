/**
 * One change of a finding's facets. Combination 0 means that the finding does not exist: a change from 0 inserts it,
 * one to 0 removes it.
 */
export interface FacetChange {
  findingId: number
  assetId: number
  firstDetectedAt: number
  fromCombo: number
  toCombo: number
  /** Confidence in ten-thousandths, before and after. */
  fromConfidence: number
  toConfidence: number
  /** Whether history before this change was rewritten. */
  isRewritten: boolean
}

/**
 * Bytes of one entry, little-endian: finding id 6, asset id 6, first detection 6 (signed, milliseconds), combination
 * before 4 and after 4, confidence before 2 and after 2, and 2 that are 1 if the history was rewritten.
 */
export const ENTRY_BYTES = 32
/** Maximum number of entries in a log row; a row without entries means that a reader must rebuild from the findings. */
export const ENTRIES_PER_ROW = 500

/** Encodes the entries of one log row. */
export class ChangeEncoder {
  readonly #bytes = new DataView(new ArrayBuffer(ENTRIES_PER_ROW * ENTRY_BYTES))
  size = 0

  get isFull(): boolean {
    return this.size === ENTRIES_PER_ROW
  }

  add(change: FacetChange): void {
    const [bytes, at] = [this.#bytes, this.size * ENTRY_BYTES]
    setInt48(bytes, at, change.findingId)
    setInt48(bytes, at + 6, change.assetId)
    setInt48(bytes, at + 12, change.firstDetectedAt)
    bytes.setUint32(at + 18, change.fromCombo, true)
    bytes.setUint32(at + 22, change.toCombo, true)
    bytes.setUint16(at + 26, change.fromConfidence, true)
    bytes.setUint16(at + 28, change.toConfidence, true)
    bytes.setUint16(at + 30, change.isRewritten ? 1 : 0, true)
    this.size++
  }

  /** Returns the entries so far and clears them. */
  take(): Uint8Array {
    const entries = new Uint8Array(this.#bytes.buffer.slice(0, this.size * ENTRY_BYTES))
    this.size = 0
    return entries
  }
}

function setInt48(bytes: DataView, at: number, value: number): void {
  const high = Math.floor(value / 2 ** 32)
  bytes.setUint32(at, value - high * 2 ** 32, true)
  bytes.setInt16(at + 4, high, true)
}

/** @throws RangeError if the length is not a multiple of `ENTRY_BYTES`. */
export function decodeChanges(delta: Uint8Array): FacetChange[] {
  if (delta.byteLength % ENTRY_BYTES !== 0) throw new RangeError('the log row is cut in the middle of an entry')
  const bytes = Buffer.from(delta.buffer, delta.byteOffset, delta.byteLength)
  return Array.from({ length: bytes.length / ENTRY_BYTES }, (_, index) => {
    const at = index * ENTRY_BYTES
    return {
      findingId: bytes.readUIntLE(at, 6),
      assetId: bytes.readUIntLE(at + 6, 6),
      firstDetectedAt: bytes.readIntLE(at + 12, 6),
      fromCombo: bytes.readUInt32LE(at + 18),
      toCombo: bytes.readUInt32LE(at + 22),
      fromConfidence: bytes.readUInt16LE(at + 26),
      toConfidence: bytes.readUInt16LE(at + 28),
      isRewritten: bytes.readUInt16LE(at + 30) === 1,
    }
  })
}

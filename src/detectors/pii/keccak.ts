const WORD = (1n << 64n) - 1n
const RATE = 136
const rotations = [
  0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
] as const

const rotate = (word: bigint, by: number) => ((word << BigInt(by)) | (word >> BigInt(64 - by))) & WORD

/** The constants of the rounds come out of a shift register (FIPS 202, 3.2.5). */
const roundConstants = (() => {
  let register = 1
  return Array.from({ length: 24 }, () => {
    let constant = 0n
    for (let power = 0; power <= 6; power++) {
      if ((register & 1) === 1) constant |= 1n << BigInt(2 ** power - 1)
      register = (register << 1) ^ ((register >> 7) * 0x171)
    }
    return constant
  })
})()

function permute(lanes: bigint[]): void {
  const lane = (at: number) => lanes[at] ?? 0n
  for (const constant of roundConstants) {
    const parity = [0, 1, 2, 3, 4].map((x) => lane(x) ^ lane(x + 5) ^ lane(x + 10) ^ lane(x + 15) ^ lane(x + 20))
    for (let at = 0; at < 25; at++)
      lanes[at] = lane(at) ^ (parity[(at + 4) % 5] ?? 0n) ^ rotate(parity[(at + 1) % 5] ?? 0n, 1)
    const moved: bigint[] = []
    for (let at = 0; at < 25; at++) {
      const [x, y] = [at % 5, Math.floor(at / 5)]
      moved[y + 5 * ((2 * x + 3 * y) % 5)] = rotate(lane(at), rotations[at] ?? 0)
    }
    const from = (at: number) => moved[at] ?? 0n
    for (let at = 0; at < 25; at++) {
      const row = at - (at % 5)
      lanes[at] = from(at) ^ (~from(row + ((at + 1) % 5)) & WORD & from(row + ((at + 2) % 5)))
    }
    lanes[0] = lane(0) ^ constant
  }
}

/** Keccak-256 as Ethereum uses it: SHA-3 with the older padding, for less than one block. */
export function keccak256(data: Uint8Array): Buffer {
  const block = Buffer.alloc(RATE)
  block.set(data)
  block[data.length] = 0x01
  block[RATE - 1] = (block[RATE - 1] ?? 0) | 0x80
  const lanes = Array.from({ length: 25 }, (_, at) => (at * 8 < RATE ? block.readBigUInt64LE(at * 8) : 0n))
  permute(lanes)
  const hash = Buffer.alloc(32)
  for (let at = 0; at < 4; at++) hash.writeBigUInt64LE(lanes[at] ?? 0n, at * 8)
  return hash
}

import { crc32, deflateSync } from 'node:zlib'

function chunk(type: string, body: Uint8Array): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(body.length)
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), body])
  const tail = Buffer.alloc(4)
  tail.writeUInt32BE(crc32(typed))
  return Buffer.concat([head, typed, tail])
}

/** A small picture with vertical stripes of a colour that darkens from top to bottom. */
export function toPng(width: number, height: number, rgb: readonly [number, number, number]): Uint8Array {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const rows = Buffer.alloc(height * (1 + width * 3))
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const shade = (x % 16 < 8 ? 1 : 0.8) * (1 - y / (2 * height))
      rows.set(
        rgb.map((value) => Math.round(value * shade)),
        y * (1 + width * 3) + 1 + x * 3,
      )
    }
  }
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

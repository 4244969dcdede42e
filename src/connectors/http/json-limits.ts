/** Limits on a response body, because what is parsed takes many times the memory of its text. */
const MAX_DEPTH = 100
const MAX_VALUES = 500_000

const [QUOTE, COMMA, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [34, 44, 91, 92, 93, 123, 125]

/** Whether a body in JSON nests too deeply or contains too many values to be parsed; it may be malformed. */
export function exceedsJsonLimits(bytes: Uint8Array): boolean {
  let depth = 0
  let values = 1
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values++
      if (++depth > MAX_DEPTH) return true
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--
    else if (byte === COMMA && ++values > MAX_VALUES) return true
  }
  return values > MAX_VALUES
}

/** A text normalized for the rules: lower case, without invisible characters and accents, with look-alikes replaced. */
export interface CanonicalText {
  text: string
  /** Converts an offset in the canonical text to an offset in the original. */
  toOriginal(offset: number): number
}

const entity = /^&(?:#(\d{2,7})|#x([0-9a-f]{2,6})|(lt|gt|amp|quot|apos|nbsp));/i
const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: ' ' }
const removed = /[\p{Cf}\p{Variation_Selector}\u115f\u1160\u3164]|\u034f/u
const mark = /\p{M}/u
const blank = /\p{Zs}/u
const latin = /\p{Script=Latin}/u
/** Latin letters without a Unicode decomposition. */
const undecomposed: Record<string, string> = { ł: 'l', đ: 'd', ø: 'o', ß: 'ss', æ: 'ae', œ: 'oe', ı: 'i', ð: 'd' }
/** Cyrillic and Greek letters that look like Latin ones; replaced only inside words that also contain Latin letters. */
const lookAlikes: Record<string, string> = {
  а: 'a',
  в: 'b',
  е: 'e',
  ё: 'e',
  з: '3',
  і: 'i',
  ї: 'i',
  ј: 'j',
  к: 'k',
  м: 'm',
  н: 'h',
  о: 'o',
  р: 'p',
  с: 'c',
  ѕ: 's',
  т: 't',
  у: 'y',
  х: 'x',
  ԁ: 'd',
  ԛ: 'q',
  ԝ: 'w',
  һ: 'h',
  ӏ: 'l',
  г: 'r',
  п: 'n',
  α: 'a',
  β: 'b',
  ε: 'e',
  η: 'n',
  ι: 'i',
  κ: 'k',
  μ: 'u',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  υ: 'u',
  χ: 'x',
  γ: 'y',
  ω: 'w',
  σ: 'o',
  ς: 's',
}

const folded = new Map<number, string>()

/** Folds one non-ASCII character; empty for characters that are not visible. */
function fold(code: number): string {
  const known = folded.get(code)
  if (known !== undefined) return known
  const character = String.fromCodePoint(code)
  let reading = character
  if (removed.test(character) || mark.test(character)) reading = ''
  else if (blank.test(character)) reading = ' '
  else {
    const compatible = character.normalize('NFKC').toLowerCase()
    reading = latin.test(compatible) ? compatible.normalize('NFKD').replace(/\p{M}/gu, '') : compatible
    reading = undecomposed[reading] ?? reading
  }
  if (folded.size < 20_000) folded.set(code, reading)
  return reading
}

/** Builds the canonical text in one pass; ASCII text without entities is only lower-cased. */
export function toCanonical(original: string): CanonicalText {
  if (!/[^\0-\x7f]|&(?:#|[lgaqn])/.test(original))
    return { text: original.toLowerCase(), toOriginal: (offset) => offset }
  const capacity = original.length * 3 + 16
  const codes = new Uint16Array(capacity)
  const offsets = new Uint32Array(capacity + 1)
  let length = 0
  let wordStart = 0
  let hasLatin = false
  let hasLookAlike = false
  const endWord = () => {
    if (hasLatin && hasLookAlike) {
      for (let at = wordStart; at < length; at++) {
        const twin = lookAlikes[String.fromCharCode(codes[at] ?? 0)]
        if (twin !== undefined) codes[at] = twin.charCodeAt(0)
      }
    }
    wordStart = length
    hasLatin = false
    hasLookAlike = false
  }
  const put = (reading: string, at: number) => {
    for (let index = 0; index < reading.length && length < capacity; index++) {
      const code = reading.charCodeAt(index)
      offsets[length] = at
      codes[length++] = code
      if (code >= 97 && code <= 122) hasLatin = true
      else if (code > 0x7f && reading in lookAlikes) hasLookAlike = true
      else if (code < 48) endWord()
    }
  }
  for (let at = 0; at < original.length; at++) {
    const code = original.charCodeAt(at)
    if (code < 0x80 && code !== 38) {
      put(String.fromCharCode(code >= 65 && code <= 90 ? code + 32 : code), at)
      continue
    }
    if (code === 38) {
      const found = entity.exec(original.slice(at, at + 12))
      put(found === null ? '&' : readEntity(found), at)
      if (found !== null) at += found[0].length - 1
      continue
    }
    const point = original.codePointAt(at) ?? code
    put(fold(point), at)
    if (point > 0xffff) at++
  }
  endWord()
  offsets[length] = original.length
  return { text: toText(codes.subarray(0, length)), toOriginal: (offset) => offsets[Math.min(offset, length)] ?? 0 }
}

function readEntity([, decimal, hexadecimal, name]: RegExpExecArray): string {
  if (name !== undefined) return named[name.toLowerCase()] ?? ''
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '0', 16) : Number(decimal)
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return ''
  return code < 0x80 ? String.fromCharCode(code).toLowerCase() : fold(code)
}

const decoder = new TextDecoder('utf-16le', { ignoreBOM: true })
const toText = (codes: Uint16Array) => decoder.decode(codes)

/** An encoded range that decodes to readable text. */
export interface Decoded {
  start: number
  end: number
  text: string
}

const MAX_DECODED = 64 * 1024
const base64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}/g
const hexadecimal = /(?<![0-9a-z])[0-9a-f]{2}(?: ?[0-9a-f]{2})+(?![0-9a-z])/gi
const percent = /(?:%[0-9a-f]{2}[\w.-]*)+/gi
const escapes = /(?:\\(?:u00|x)[0-9a-f]{2})+/gi
/** Minimum number of encoded bytes; shorter runs are not decoded. */
const MIN_LENGTH = { hexadecimal: 16, percent: 5, escapes: 8 }
const announced = /rot[ -]?13|caesar|cipher/i
const backwards = /snoitcurtsni|tpmorp metsys|erongi|dragersid/i
const readable = /^[\t\n\r\x20-\x7e\u00a0-\u024f\u2010-\u2027]+$/

/** Ranges that decode to prose (base64, hex, percent, escapes, ROT13, reversed); nested encodings are not decoded. */
export function* findDecoded(text: string): Generator<Decoded> {
  for (const { 0: run, index } of text.matchAll(base64)) {
    const decoded = toReadable(Buffer.from(run.slice(0, MAX_DECODED), 'base64').toString('utf8'))
    if (decoded !== undefined) yield { start: index, end: index + run.length, text: decoded }
  }
  for (const { 0: run, index } of text.matchAll(hexadecimal)) {
    const digits = run.replaceAll(' ', '')
    if (digits.length < MIN_LENGTH.hexadecimal * 2) continue
    const decoded = toReadable(Buffer.from(digits.slice(0, MAX_DECODED), 'hex').toString('utf8'))
    if (decoded !== undefined) yield { start: index, end: index + run.length, text: decoded }
  }
  for (const { 0: run, index } of text.matchAll(percent)) {
    if (run.split('%').length <= MIN_LENGTH.percent) continue
    const before = /[\w.-]{0,24}$/.exec(text.slice(Math.max(0, index - 24), index))?.[0] ?? ''
    const decoded = toReadable(before + run.replace(/%([0-9a-f]{2})/gi, fromHex))
    if (decoded !== undefined) yield { start: index - before.length, end: index + run.length, text: decoded }
  }
  for (const { 0: run, index } of text.matchAll(escapes)) {
    if (run.split('\\').length <= MIN_LENGTH.escapes) continue
    const decoded = toReadable(run.replace(/\\(?:u00|x)([0-9a-f]{2})/gi, fromHex))
    if (decoded !== undefined) yield { start: index, end: index + run.length, text: decoded }
  }
  const short = text.length <= MAX_DECODED
  if (short && announced.test(text)) yield { start: 0, end: text.length, text: text.replace(/[a-z]/gi, rotate) }
  if (short && backwards.test(text)) yield { start: 0, end: text.length, text: [...text].reverse().join('') }
}

const fromHex = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))

function toReadable(decoded: string): string | undefined {
  return decoded.length >= 12 && /[a-z]{3}/i.test(decoded) && readable.test(decoded) ? decoded : undefined
}

function rotate(letter: string): string {
  const code = letter.charCodeAt(0)
  const base = code >= 97 ? 97 : 65
  return String.fromCharCode(((code - base + 13) % 26) + base)
}

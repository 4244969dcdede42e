import type { Part } from '../../documents/document.ts'
import { isMonthDay, machineReadableCheck } from './ids/rule.ts'
import type { PiiMatch } from './match.ts'

/** ICAO 9303: the last line of a passport (44 characters) or of a card with two lines (36). */
const lastLine = /[A-Z0-9<]{9}\d[A-Z<]{3}\d{7}[MFX<]\d{7}[A-Z0-9<]{7,15}\d/g
/** The middle line of a card with three lines of 30 characters. */
const middleLine = /\d{7}[MFX<]\d{7}[A-Z<]{3}[A-Z0-9<]{11}\d/g
const firstLine = /[PIACV][A-Z0-9<][A-Z<]{3}[A-Z0-9<]{25,39}[ \t]*\r?\n$/
const lastNames = /^[ \t]*\r?\n[A-Z<]{30}(?![A-Z0-9<])/
const sign = /[A-Z0-9<]/

const isChecked = (text: string, from: number, to: number) =>
  machineReadableCheck(text.slice(from, to)) === Number(text.charAt(to))

/** Composite check over the number, the dates and the optional data, with their own check digits. */
function isLastLine(line: string): boolean {
  const end = line.length - 1
  if (line.length !== 44 && line.length !== 36) return false
  const composite = line.slice(0, 10) + line.slice(13, 20) + line.slice(21, end)
  return (
    isChecked(line, 0, 9) &&
    isChecked(line, 13, 19) &&
    isChecked(line, 21, 27) &&
    isMonthDay(line, 15, 17) &&
    machineReadableCheck(composite) === Number(line.charAt(end))
  )
}

const isMiddleLine = (line: string) => isChecked(line, 0, 6) && isChecked(line, 8, 14) && isMonthDay(line, 2, 4)

/** Machine-readable lines of passports and identity cards with four valid check digits. */
export function* findTravelDocuments({ text }: Part): Generator<PiiMatch> {
  if (!text.includes('<<')) return
  for (const [pattern, isValid] of [
    [lastLine, isLastLine],
    [middleLine, isMiddleLine],
  ] as const) {
    for (const { 0: line, index } of text.matchAll(pattern)) {
      const lineEnd = index + line.length
      if (sign.test(text.charAt(index - 1)) || sign.test(text.charAt(lineEnd)) || !isValid(line)) continue
      const above = firstLine.exec(text.slice(Math.max(0, index - 48), index))
      if (pattern === middleLine && above === null) continue
      const below = pattern === middleLine ? lastNames.exec(text.slice(lineEnd, lineEnd + 40)) : null
      yield {
        type: 'PASSPORT',
        start: index - (above?.[0].length ?? 0),
        end: lineEnd + (below?.[0].length ?? 0),
        confidence: 0.98,
        severity: 'HIGH',
        identity: line.slice(0, pattern === lastLine ? 9 : 15),
        shown: '•••<<•••',
      }
    }
  }
}

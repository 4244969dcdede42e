import type { Part } from '../../documents/document.ts'
import { chosenBelow, toChosen } from './chosen.ts'
import type { Found } from './found.ts'
import { configuredConfidence, isFingerprint, isOneTimeSeed, tokenConfidence } from './guards.ts'
import { confidenceBelow, toHeading } from './headings.ts'
import { findVendorShape, gradeOf } from './keyed.ts'
import { kindOfKey } from './keys.ts'

const MAX_LABEL_LENGTH = 40
const MAX_VALUE_LENGTH = 200

/**
 * A cell or an attribute whose label, or the part used as its label, names a secret; a block of code that is a single
 * value below a heading or line that names a secret.
 */
export function readOwnLabel(parts: readonly Part[], at: number, configured: boolean): Found | undefined {
  const part = parts[at]
  if (part === undefined || !['cell', 'attribute', 'code'].includes(part.kind)) return undefined
  const value = part.text.trim()
  if (value.length > MAX_VALUE_LENGTH || value === '' || (part.kind !== 'attribute' && /\s/.test(value)))
    return undefined
  if (part.kind === 'attribute' && part.label === 'value' && isHiddenField(parts, at)) return undefined
  for (const label of labelsOf(parts, at)) {
    const kind = label === '' ? undefined : kindOfKey(label)
    const start = part.text.indexOf(value)
    const found = kind && judgeLabelled(value, start, { label, kind, configured, mayBeChosen: part.kind === 'cell' })
    if (found !== undefined) return found
  }
  return undefined
}

/** The value of a cell, an attribute or a block whose label names a kind of secret. */
export function judgeLabelled(
  value: string,
  start: number,
  named: { label: string; kind: 'password' | 'token'; configured: boolean; mayBeChosen: boolean },
): Found | undefined {
  const { label, kind, configured, mayBeChosen } = named
  const shape = findVendorShape(label, value)
  const confidence = shape === undefined ? labelledConfidence(value, kind, configured, label) : 0.92
  const chosen = confidence === 0 && mayBeChosen ? chosenBelow(value, label, kind) : 0
  if (chosen > 0) return toChosen('PASSWORD', start, value, 'column', chosen)
  if (confidence === 0) return undefined
  const type = shape?.type ?? (kind === 'password' ? 'PASSWORD' : 'KEYED_SECRET')
  return { type, start, end: start + value.length, severity: gradeOf(confidence), confidence, value }
}

function labelsOf(parts: readonly Part[], at: number): string[] {
  const part = parts[at]
  if (part?.kind !== 'code') return part === undefined ? [] : [part.label ?? '', nameBeside(part, parts[at - 1])]
  const before = parts[at - 1]
  const line = before?.kind === 'text' ? (before.text.trimEnd().split('\n').at(-1) ?? '') : ''
  return [toHeading(line) ?? '', part.headings?.at(-1) ?? '']
}

/** `<input type="hidden" name="…" value="…">`: a field that protects the form against request forgery. */
const isHiddenField = (parts: readonly Part[], at: number) =>
  parts
    .slice(Math.max(0, at - 3), at + 3)
    .some(({ label, text, kind }) => kind === 'attribute' && label === 'type' && text === 'hidden')

/** The text of the cell before a cell, which is not a heading if the other has one, or the key in `<add key="…" value="…">`. */
function nameBeside(part: Part, before: Part | undefined): string {
  if (before?.kind !== part.kind || before.text.length > MAX_LABEL_LENGTH) return ''
  if (part.kind === 'cell') return (part.label === undefined) === (before.label === undefined) ? before.text : ''
  return part.label === 'value' && /^(?:key|name|id|property)$/i.test(before.label ?? '') ? before.text : ''
}

function labelledConfidence(value: string, kind: 'password' | 'token', configured: boolean, label: string): number {
  if (kind === 'token') {
    if (isFingerprint(label, value)) return 0
    return isOneTimeSeed(label, value) ? 0.93 : tokenConfidence(value, false)
  }
  return configured ? configuredConfidence(value) : confidenceBelow(value, kind)
}

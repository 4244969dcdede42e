import type { Part } from '../../documents/document.ts'
import type { Found } from './found.ts'
import { configuredConfidence, passwordConfidence, tokenConfidence } from './guards.ts'
import { findVendorShape, gradeOf } from './keyed.ts'
import { kindOfKey } from './keys.ts'

const MAX_LABEL_LENGTH = 40
const MAX_VALUE_LENGTH = 200

/** A cell or an attribute whose label, or the part that stands in for it, names a secret. */
export function readOwnLabel(parts: readonly Part[], at: number, configured: boolean): Found | undefined {
  const part = parts[at]
  if (part === undefined || (part.kind !== 'cell' && part.kind !== 'attribute')) return undefined
  const value = part.text.trim()
  if (value.length > MAX_VALUE_LENGTH) return undefined
  for (const label of [part.label ?? '', nameBeside(part, parts[at - 1])]) {
    const kind = label === '' ? undefined : kindOfKey(label)
    if (kind === undefined) continue
    const shape = findVendorShape(label, value)
    const confidence = shape === undefined ? labelledConfidence(value, kind, configured) : 0.8
    if (confidence === 0) continue
    const start = part.text.indexOf(value)
    const type = shape?.type ?? (kind === 'password' ? 'PASSWORD' : 'KEYED_SECRET')
    return { type, start, end: start + value.length, severity: gradeOf(confidence), confidence, value }
  }
  return undefined
}

/** The cell before a cell, and the name of `<add key="…" value="…">`. */
function nameBeside(part: Part, before: Part | undefined): string {
  if (before?.kind !== part.kind || before.text.length > MAX_LABEL_LENGTH) return ''
  if (part.kind === 'cell') return before.text
  return part.label === 'value' && /^(?:key|name|id|property)$/i.test(before.label ?? '') ? before.text : ''
}

function labelledConfidence(value: string, kind: 'password' | 'token', configured: boolean): number {
  if (kind === 'token') return tokenConfidence(value, false)
  return configured ? configuredConfidence(value) : passwordConfidence(value, false, false)
}

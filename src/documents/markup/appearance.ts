import { findAttribute, type MarkupElement } from './markup.ts'

function readStyle(style: string): Map<string, string> {
  const rules = new Map<string, string>()
  for (const rule of style.slice(0, 4096).split(';')) {
    const colon = rule.indexOf(':')
    if (colon < 0) continue
    const value = rule.slice(colon + 1).replace(/!\s*important/i, '')
    rules.set(rule.slice(0, colon).trim().toLowerCase(), value.trim().toLowerCase())
  }
  return rules
}

/**
 * Parses a CSS colour into RGB (0 to 255) and alpha; undefined unless it is numeric, `transparent`, `white` or `black`.
 */
function readColor(text: string): { rgb: [number, number, number]; alpha: number } | undefined {
  if (text === 'transparent') return { rgb: [0, 0, 0], alpha: 0 }
  const named: Record<string, [number, number, number]> = { white: [255, 255, 255], black: [0, 0, 0] }
  const plain = Object.hasOwn(named, text) ? named[text] : undefined
  if (plain !== undefined) return { rgb: plain, alpha: 1 }
  const hex = /^#([0-9a-f]{3,8})/.exec(text)?.[1]
  if (hex !== undefined && [3, 4, 6, 8].includes(hex.length)) {
    const wide = hex.length < 6 ? [...hex].map((digit) => digit + digit).join('') : hex
    const at = (index: number) => Number.parseInt(wide.slice(index * 2, index * 2 + 2), 16)
    return { rgb: [at(0), at(1), at(2)], alpha: wide.length === 8 ? at(3) / 255 : 1 }
  }
  const numbers = /^rgba?\(([^)]*)\)/
    .exec(text)?.[1]
    ?.split(/[\s,/]+/)
    .filter(Boolean)
  if (numbers === undefined || numbers.length < 3) return undefined
  const at = (index: number) => Number.parseFloat(numbers[index] ?? '0')
  return { rgb: [at(0), at(1), at(2)], alpha: numbers.length > 3 ? at(3) : 1 }
}

const isNear = (a: readonly number[], b: readonly number[]) =>
  a.every((value, index) => Math.abs(value - (b[index] ?? 0)) <= 8)

function toPixels(size: string): number | undefined {
  const match = /^(-?[\d.]+)\s*(px|pt|em|rem|%)?$/.exec(size)
  if (match === null) return undefined
  const factor = { px: 1, pt: 4 / 3, em: 16, rem: 16, '%': 0.16 }[match[2] ?? 'px'] ?? 1
  return Number.parseFloat(match[1] ?? '') * factor
}

/** The background colour behind text, as far as the markup states it; white by default. */
export type Background = readonly [number, number, number] | 'unknown'

export interface Appearance {
  hidden: boolean
  ground: Background
}

/** Whether an element's text is hidden on the given background, and the background of its children. */
export function readAppearance(element: MarkupElement, ground: Background): Appearance {
  const attribute = (name: string) => findAttribute(element, name)
  const style = readStyle(attribute('style') ?? '')
  const background =
    style.get('background-color') ??
    style.get('background') ??
    attribute('bgcolor') ??
    attribute('data-highlight-colour')
  const behind = background === undefined ? undefined : readColor(background.trim().toLowerCase())
  const own: Background =
    background === undefined || behind?.alpha === 0 ? ground : behind === undefined ? 'unknown' : behind.rgb
  if (element.attributes.length === 0) return { hidden: false, ground: own }

  const color = readColor(style.get('color') ?? attribute('color')?.toLowerCase() ?? '')
  const invisible = color !== undefined && (color.alpha < 0.05 || (own !== 'unknown' && isNear(color.rgb, own)))
  const size = toPixels(style.get('font-size') ?? '')
  const clipped = style.get('overflow') === 'hidden'
  const away = (side: string) => (toPixels(style.get(side) ?? '') ?? 0) <= -500
  const placed = style.get('position') === 'absolute' || style.get('position') === 'fixed'
  const hidden =
    attribute('hidden') !== undefined ||
    style.get('display') === 'none' ||
    style.get('visibility') === 'hidden' ||
    Number.parseFloat(style.get('opacity') ?? '1') < 0.05 ||
    (size !== undefined && size <= 2) ||
    invisible ||
    (clipped &&
      ['width', 'height', 'max-height', 'max-width'].some((side) => (toPixels(style.get(side) ?? '') ?? 9) <= 1)) ||
    (placed && ['left', 'top', 'right', 'bottom'].some(away)) ||
    away('text-indent')
  return { hidden, ground: own }
}

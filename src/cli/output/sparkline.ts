import { line, type PrintableText } from '../../kernel/shown.ts'

const bars = [line`▁`, line`▂`, line`▃`, line`▄`, line`▅`, line`▆`, line`▇`, line`█`]
const MAX_BARS = 60

/** One bar for each value, scaled from the least to the greatest, including 0; null is a blank. */
export function toSparkline(values: readonly (number | null)[]): PrintableText {
  const shown = values.slice(-MAX_BARS)
  const known = shown.filter((value) => value !== null)
  const [least, most] = [Math.min(0, ...known), Math.max(...known, 0)]
  return shown
    .map((value) => {
      if (value === null) return ' '
      const share = most === least ? 0 : (value - least) / (most - least)
      return bars[Math.min(bars.length - 1, Math.floor(share * bars.length))] ?? ' '
    })
    .join('') as PrintableText
}

import type { Writable } from 'node:stream'
import type { Screen } from './layout.ts'

/** A stream that may be a terminal. */
export type Terminal = Writable & { isTTY?: boolean; columns?: number; rows?: number }

/** What decides about colour, besides the stream. */
export interface ColorSettings {
  /** Environment variables; absent: none. */
  env?: Readonly<Record<string, string | undefined>>
  /** Set by `--color`. */
  color?: ColorChoice
}

export const colorChoices = ['auto', 'always', 'never'] as const
export type ColorChoice = (typeof colorChoices)[number]

const DEFAULT_WIDTH = 80
/** Narrower terminals get lines of this width, which they wrap themselves. */
const MIN_WIDTH = 20

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ''

/**
 * How a stream is written to. `--color` decides first, then `FORCE_COLOR`, then `NO_COLOR`; links need a terminal and
 * colour.
 */
export function describeScreen({ env = {}, color = 'auto' }: ColorSettings, stream: Terminal): Screen {
  const isTerminal = stream.isTTY === true
  const isPlain = isSet(env.NO_COLOR) || env.TERM === 'dumb'
  const isForced = isSet(env.FORCE_COLOR) && env.FORCE_COLOR !== '0'
  const automatic = isForced || (isTerminal && !isPlain && env.FORCE_COLOR !== '0')
  const hasColor = color === 'auto' ? automatic : color === 'always'
  return {
    width: isTerminal ? Math.max(MIN_WIDTH, stream.columns || DEFAULT_WIDTH) : Number.POSITIVE_INFINITY,
    hasColor,
    hasLinks: isTerminal && hasColor && env.TERM !== 'linux',
  }
}

import { InvalidArgumentError } from 'commander'

/** Reads a whole number from 1 to `most`. */
export const upTo = (most: number) => (value: string) => {
  const count = Number(value)
  if (/^\d+$/.test(value) && count >= 1 && count <= most) return count
  throw new InvalidArgumentError(`Must be a whole number from 1 to ${most}.`)
}

export function toShare(value: string): number {
  const share = Number(value)
  if (value.trim() !== '' && share >= 0 && share <= 1) return share
  throw new InvalidArgumentError('Must be a number from 0 to 1.')
}

/** What each writer stores: batch after batch, in turn of `groups` groups of assets. */
export interface Estate {
  batches: number
  groups: number
  /** Assets in a batch. */
  assets: number
  /** Findings that an asset may have. */
  findings: number
}

/** What a process that writes is given, as JSON. */
export interface WriterOrder {
  url: string
  scanUid: string
  estate: Estate
  pauseMs: number
}

/** Assets without findings that each batch adds. */
export const NEW_ASSETS = 2

/** Numbers of the findings that a batch finds in an asset: one of ten that it had before is gone or there again. */
export const foundIn = ({ groups, findings }: Estate, batch: number, asset: number): number[] =>
  Array.from({ length: findings }, (_, number) => number).filter(
    (number) => (Math.floor(batch / groups) + asset + 3 * number) % 10 !== 0,
  )

/** What a source has after all of its batches. */
export function expectedOf(estate: Estate): { open: number; resolved: number; changes: number; assets: number } {
  const states = new Map<string, boolean>()
  let changes = 0
  for (let batch = 0; batch < estate.batches; batch++) {
    for (let asset = 0; asset < estate.assets; asset++) {
      const found = new Set(foundIn(estate, batch, asset))
      for (let number = 0; number < estate.findings; number++) {
        const key = `${batch % estate.groups} ${asset} ${number}`
        const before = states.get(key)
        if (before === undefined && !found.has(number)) continue
        if (before !== undefined && before !== found.has(number)) changes++
        states.set(key, found.has(number))
      }
    }
  }
  const open = [...states.values()].filter((isOpen) => isOpen).length
  const assets = Math.min(estate.batches, estate.groups) * estate.assets + estate.batches * NEW_ASSETS
  return { open, resolved: states.size - open, changes, assets }
}

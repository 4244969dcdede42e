// Which groups a change comes from, computed naively. It imports nothing from src/.

export interface NaiveValue {
  value: number | null
  n?: number
  numerator?: number | null
  denominator?: number | null
}

export interface NaiveDivision {
  groups: { name: string; from: number | null; to: number | null; contribution: number | null }[]
  /** What the listed groups explain beyond an even change, as a part of the change. */
  explained: (listed: readonly string[]) => number | null
  /** Of all groups but the listed ones. */
  rest: (listed: readonly string[]) => { groups: number; from: number | null; to: number | null }
}

type ValueOf = (keep?: ReadonlySet<string>) => NaiveValue

export function divideNaively(
  kind: 'sum' | 'rate' | undefined,
  names: ReadonlySet<string>,
  before: ValueOf,
  now: ValueOf,
): NaiveDivision {
  const [first, last] = [before(), now()]
  const delta = first.value === null || last.value === null ? null : last.value - first.value
  const weight = ({ denominator, n }: NaiveValue) => denominator ?? n ?? 0
  const groups = [...names].map((name) => {
    const only = new Set([name])
    return { name, earlier: before(only), since: now(only) }
  })
  const isDivided =
    kind === 'sum'
      ? delta !== null
      : kind === 'rate' &&
        delta !== null &&
        weight(first) > 0 &&
        weight(last) > 0 &&
        groups.every(({ earlier, since }) => [earlier, since].every((one) => weight(one) > 0 || !one.numerator))
  const shares = groups.map(({ name, earlier, since }) => {
    if (!isDivided || delta === null) return { name, contribution: null, even: 0 }
    if (kind === 'sum') {
      const from = earlier.value ?? 0
      const even = first.value ? (delta * from) / first.value : delta / groups.length
      return { name, contribution: (since.value ?? 0) - from, even }
    }
    const [w0, w1] = [weight(earlier) / weight(first), weight(since) / weight(last)]
    const [r0, r1] = [earlier.value ?? since.value ?? 0, since.value ?? earlier.value ?? 0]
    const whole = ((first.value ?? 0) + (last.value ?? 0)) / 2
    const within = (r1 - r0) * ((w0 + w1) / 2)
    const mix = (w1 - w0) * ((r0 + r1) / 2 - whole)
    return { name, contribution: within + mix, even: delta * ((w0 + w1) / 2) }
  })
  return {
    groups: groups.map(({ name, earlier, since }, index) => ({
      name,
      from: earlier.value,
      to: since.value,
      contribution: shares[index]?.contribution ?? null,
    })),
    explained: (listed) => {
      if (!isDivided || !delta) return null
      const beyond = shares
        .filter(({ name }) => listed.includes(name))
        .map(({ contribution, even }) => (contribution ?? 0) - even)
      const rise = beyond.filter((one) => one > 0).reduce((sum, one) => sum + one, 0)
      const fall = beyond.filter((one) => one < 0).reduce((sum, one) => sum - one, 0)
      return Math.max(rise, fall) / Math.abs(delta)
    },
    rest: (listed) => {
      const others = new Set([...names].filter((name) => !listed.includes(name)))
      return { groups: others.size, from: before(others).value, to: now(others).value }
    },
  }
}

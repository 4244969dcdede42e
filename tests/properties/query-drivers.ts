import type { MetricAnswer } from '../../src/query/model.ts'
import type { NaiveDivision } from './query-division.ts'

type Check = (what: string, actual: number | null | undefined, expected: number | null | undefined) => void

/** The drivers of an answer are those of a naive division, and add up to the change. */
export function checkDrivers(answer: MetricAnswer, expected: Map<string, NaiveDivision>, check: Check): void {
  const { drivers = [], driverDimensions = [], comparison, warnings } = answer
  const named = driverDimensions.map(({ dimension }) => dimension as string)
  if (named.toSorted().join() !== [...expected.keys()].toSorted().join()) throw new Error(`drivers are by ${named}`)
  for (const { dimension, explained, rest } of driverDimensions) {
    // Several assets may have one name; they are compared by their breakdown.
    if (dimension === 'asset') continue
    const division = expected.get(dimension)
    const own = drivers.filter((driver) => driver.dimension === dimension)
    if (division === undefined) throw new Error(`nothing is expected by ${dimension}`)
    for (const { dimensionValue, from, to, contribution } of own) {
      const group = division.groups.find(({ name }) => name === dimensionValue)
      check(`from of ${dimension} ${dimensionValue}`, from, group?.from)
      check(`to of ${dimension} ${dimensionValue}`, to, group?.to)
      check(`contribution of ${dimension} ${dimensionValue}`, contribution, group?.contribution)
    }
    check(`drivers by ${dimension}`, own.length, Math.min(5, division.groups.length))
    const listed = own.map(({ dimensionValue }) => dimensionValue as string)
    const others = division.rest(listed)
    check(`groups of the rest by ${dimension}`, rest.groups, others.groups)
    check(`from of the rest by ${dimension}`, rest.from, others.from)
    check(`to of the rest by ${dimension}`, rest.to, others.to)
    check(`explained by ${dimension}`, explained, division.explained(listed))
    const sizes = division.groups.map(({ contribution }) => Math.abs(contribution ?? 0))
    const greatest = sizes.toSorted((a, b) => b - a)
    if (own.some(({ contribution }) => contribution === null)) {
      check('not_decomposable', warnings.filter(({ code }) => code === 'not_decomposable').length, 1)
      check(`rest by ${dimension}`, rest.contribution, null)
      continue
    }
    for (const [index, { contribution }] of own.entries()) {
      check(`size of driver ${index} by ${dimension}`, Math.abs(contribution ?? 0), greatest[index])
    }
    if (comparison?.delta == null || own.length === 0) continue
    const sum = own.reduce((total, { contribution }) => total + (contribution ?? 0), rest.contribution ?? 0)
    check(`sum of contributions by ${dimension}`, sum, comparison.delta)
    if (Number.isInteger(comparison.delta) && own.every(({ contribution }) => Number.isInteger(contribution))) {
      if (sum !== comparison.delta) throw new Error(`${sum} is not exactly ${comparison.delta}`)
    }
  }
  const parts = driverDimensions.flatMap(({ explained }) => explained ?? [])
  if (parts.some((part, index) => part > (parts[index - 1] ?? part) + 1e-9)) throw new Error('dimensions out of order')
}

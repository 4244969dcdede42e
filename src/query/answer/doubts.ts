import { line, showAmount } from '../../kernel/shown.ts'
import type { MetricAnswer, OneMetricAnswer, QueryWarning } from '../model.ts'

/** Warnings without which the number would be taken for another one. */
export const misleading: ReadonlySet<QueryWarning['code']> = new Set([
  'contradiction',
  'unknown_value',
  'unknown_detector',
  'other_meaning',
  'counted_twice',
  'outside_term',
  'future_range',
  'no_value_id',
])

/** Those that say why there is nothing, so that no diagnosis is needed. */
const explaining: ReadonlySet<QueryWarning['code']> = new Set([
  'contradiction',
  'unknown_value',
  'unknown_detector',
  'future_range',
  'not_scanned',
])

type Trusted = Pick<MetricAnswer, 'warnings' | 'freshness' | 'diagnosis'> & Partial<Pick<MetricAnswer, 'trust'>>

/**
 * The parts of an answer in the order in which a text shows them: doubts before the number, and after it what they do
 * not say already. Where nothing was scanned, nothing vouches for the number.
 */
export function splitDoubts({ warnings, freshness, diagnosis, trust }: Trusted) {
  const isUnscanned = saysNothing({ warnings, freshness })
  const isDoubt = ({ code }: QueryWarning) => misleading.has(code) || (isUnscanned && code === 'not_scanned')
  const doubts = warnings.filter(isDoubt)
  const isExplained = doubts.some(({ code }) => explaining.has(code))
  return {
    doubts,
    warnings: warnings.filter((each) => !isDoubt(each)),
    diagnosis: isExplained ? undefined : diagnosis,
    trust: isUnscanned ? undefined : trust,
  }
}

/** Whether no source in scope was scanned, so that 0 means an unknown number. */
export const saysNothing = ({ warnings, freshness }: Pick<MetricAnswer, 'warnings' | 'freshness'>): boolean =>
  warnings.some(({ code }) => code === 'not_scanned') &&
  freshness.sources.every(({ lastCompletedScanAt }) => lastCompletedScanAt === null)

/** The value as the headline of a text. */
export const toHeadline = (answer: Pick<OneMetricAnswer, 'value' | 'formatted' | 'warnings' | 'freshness'>) =>
  answer.value === 0 && saysNothing(answer) ? line`unknown` : showAmount(answer.formatted)

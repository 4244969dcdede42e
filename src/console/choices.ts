import { dimensions } from '../charts/dimensions.ts'
import { client } from './client.ts'
import { useAnswer } from './hooks.ts'

const toChoices = (items: readonly { slug: string; displayName: string }[] = []) =>
  items.map(({ slug, displayName }) => ({ value: slug, label: displayName }))

/** The terms to choose from. */
export const useTermChoices = () => toChoices(useAnswer('terms', client.listTerms).value?.items)

/** The metrics to choose from. */
export const useMetricChoices = () => toChoices(useAnswer('metrics', client.listMetrics).value?.items)

/** The dimensions to choose from. */
export const dimensionChoices = dimensions.map(({ name, label }) => ({ value: name, label }))

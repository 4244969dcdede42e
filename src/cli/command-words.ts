const commandOf: Readonly<Record<string, string>> = {
  list_sources: '`assay sources`',
  list_metrics: '`assay metrics`',
  list_glossary_terms: '`assay terms`',
  list_dashboards: '`assay dashboards`',
  list_watches: '`assay watch list`',
  list_suppressions: '`assay suppressions`',
  list_proposals: '`assay proposals`',
  list_scans: '`assay call list_scans`',
  list_custom_detectors: '`assay call list_custom_detectors`',
  list_assets: '`assay call list_assets`',
  search_findings: '`assay findings`',
}

/** A sentence with commands in place of the operations that it names. */
export const inCommands = (text: string): string =>
  text
    .replaceAll(/`?\b(list_\w+|search_findings)\b`?/g, (written, name: string) => commandOf[name] ?? written)
    .replaceAll(/\bfilters: \{(\w+): \['(\w+)'\]\}/g, (_, key: string, value: string) => `${toOption(key)} ${value}`)

const optionOf: Readonly<Record<string, string>> = {
  metricSlug: 'the metric',
  glossaryTermSlug: '--term',
  slug: 'the name',
  id: 'the id',
  ids: 'the id',
  displayName: '--name',
  dimensions: '--by',
  allowedDimensions: '--by',
  granularity: '--series',
  alsoMetrics: '--also',
  inputs: '--formula',
  p: '--percentile',
  entity: '--of',
  timezone: '--time-zone',
  preset: '--schedule',
  status: '--as',
  expectedStatus: '--expect',
  baseMetricSlug: '--trend-of',
  currentWindow: '--window',
  compareWindow: '--window',
  url: '--webhook',
  token: 'the token',
  scopes: '--scope',
  dashboard: 'the name',
}

/** The option or argument that sets a member of a request: `filters.severities[0]` is --severities. */
export function toOption(path: string): string {
  const names = path.replaceAll(/\[\d+\]/g, '').split('.')
  const last = names.at(-1) ?? ''
  if (names.includes('exclude')) return '--exclude'
  if (names.includes('days')) return `--days ${last}`
  return optionOf[last] ?? `--${last.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('_', '-')}`
}

/** A sentence about a request in the words of the command line. */
export const inOptionNames = (text: string): string =>
  text.replace(/^The \w+ is not valid at ([\w.[\]]+): /, (_, path: string) => `${toOption(path)} `)

/** A plain reader of whole SARIF logs, written from the standard; it shares no code with the importer. */

/** Any JSON. */
type Json = ReturnType<typeof JSON.parse>

/** What a list of findings has to say of a log. */
export interface Summary {
  findings: number
  rules: Record<string, number>
  severities: Record<string, number>
  statuses: Record<string, number>
  /** `key:line` of each finding. */
  places: Record<string, number>
}

interface Read {
  rule: string
  severity: string
  status: string
  key: string
  line: number | undefined
}

export function summarize(log: Json): Summary {
  const distinct = new Map<string, Read>()
  for (const run of log.runs) {
    for (const result of run.results ?? []) {
      if (['pass', 'notApplicable', 'informational'].includes(result.kind)) continue
      const descriptor = descriptorOf(run.tool, referenceOf(result))
      const rule = result.ruleId || result.rule?.id || descriptor?.id
      const key = keyOf(run, result)
      const region = result.locations?.[0]?.physicalLocation?.region ?? {}
      const { snippet: _, ...place } = region
      const scope = result.locations?.[0]?.logicalLocations?.[0]?.fullyQualifiedName
      const stable = result.fingerprints?.stable
      const form = JSON.stringify([key, rule, place, scope, textOf(run, result), stable])
      distinct.set(form, {
        rule,
        key,
        severity: severityOf(run, result, descriptor),
        status: statusOf(result),
        line: region.startLine,
      })
    }
  }
  return countRead([...distinct.values()])
}

/** Counts findings, whoever has read them. */
export function countRead(all: readonly Read[]): Summary {
  const count = (read: (each: Read) => string) => {
    const counts: Record<string, number> = {}
    for (const each of all) counts[read(each)] = (counts[read(each)] ?? 0) + 1
    return counts
  }
  return {
    findings: all.length,
    rules: count(({ rule }) => rule),
    severities: count(({ severity }) => severity),
    statuses: count(({ status }) => status),
    places: count(({ key, line }) => `${key}:${line ?? ''}`),
  }
}

export function textOf(run: Json, result: Json): string | undefined {
  const { text, markdown, id, arguments: values = [] } = result.message ?? {}
  const descriptor = descriptorOf(run.tool, referenceOf(result))
  const component = [run.tool.driver, ...(run.tool.extensions ?? [])].find((each) => each.rules?.includes(descriptor))
  const string = descriptor?.messageStrings?.[id] ?? component?.globalMessageStrings?.[id]
  let filled = text ?? markdown ?? string?.text ?? string?.markdown
  for (const [index, value] of values.entries()) filled = filled.split(`{${index}}`).join(value)
  return text === undefined || values.length > 0 ? filled?.replaceAll('{{', '{').replaceAll('}}', '}') : filled
}

const referenceOf = ({ ruleId, ruleIndex, rule = {} }: Json): Json => ({
  ...rule,
  id: rule.id ?? ruleId,
  index: rule.index ?? ruleIndex,
})

function descriptorOf({ driver, extensions = [] }: Json, reference: Json): Json | undefined {
  const { id, guid, toolComponent: by } = reference
  const components = [driver, ...extensions]
  const isNamed = (each: Json) => (by.guid === undefined ? each.name === by.name : each.guid === by.guid)
  const component = by === undefined ? driver : by.index === undefined ? components.find(isNamed) : extensions[by.index]
  const rules: Json[] = by === undefined ? components.flatMap((each) => each.rules ?? []) : (component?.rules ?? [])
  const parents =
    id === undefined
      ? []
      : id.split('/').map((_: string, at: number, all: string[]) => all.slice(0, all.length - at).join('/'))
  const atIndex = component?.rules?.[reference.index]
  if (atIndex !== undefined && (id === undefined || parents.includes(atIndex.id))) return atIndex
  const byGuid = guid === undefined ? undefined : rules.find((rule) => rule.guid === guid)
  return byGuid ?? parents.map((parent: string) => rules.find((rule) => rule.id === parent)).find(Boolean) ?? atIndex
}

function severityOf(run: Json, result: Json, descriptor: Json | undefined): string {
  const score = Number(result.properties?.['security-severity'] ?? descriptor?.properties?.['security-severity'] ?? 0)
  if (score >= 9) return 'CRITICAL'
  if (score >= 7) return 'HIGH'
  if (score >= 4) return 'MEDIUM'
  if (score > 0) return 'LOW'
  const invocations = run.invocations ?? []
  const invocation = invocations[result.provenance?.invocationIndex] ?? (invocations.length === 1 ? invocations[0] : {})
  const override = (invocation.ruleConfigurationOverrides ?? []).find(
    (each: Json) => descriptor !== undefined && descriptorOf(run.tool, each.descriptor) === descriptor,
  )
  const isFail = (result.kind ?? 'fail') === 'fail'
  const configured = override?.configuration.level ?? descriptor?.defaultConfiguration?.level ?? 'warning'
  const level: string = result.level ?? (isFail ? configured : 'none')
  return { error: 'HIGH', warning: 'MEDIUM', note: 'LOW', none: 'INFO' }[level] ?? level
}

function statusOf({ suppressions, baselineState }: Json): string {
  if ((suppressions ?? []).some((each: Json) => (each.status ?? 'accepted') === 'accepted')) return 'IGNORED'
  return baselineState === 'absent' ? 'RESOLVED' : 'OPEN'
}

function keyOf(run: Json, result: Json): string {
  const [location = {}] = result.locations ?? []
  const file = fileOf(run, location.physicalLocation?.artifactLocation)
  const logical = location.logicalLocations?.[0] ?? {}
  const name = logical.fullyQualifiedName ?? run.logicalLocations?.[logical.index]?.fullyQualifiedName ?? logical.name
  return file ?? name ?? fileOf(run, result.analysisTarget) ?? run.tool.driver.name
}

function fileOf(run: Json, given: Json | undefined): string | undefined {
  const artifact = given?.index === undefined ? undefined : run.artifacts?.[given.index]
  const location = given?.uri === undefined ? artifact?.location : given
  if (location === undefined) return undefined
  const path: string[] = [location.uri]
  const seen: string[] = []
  for (let base = location.uriBaseId; base !== undefined && !seen.includes(base); ) {
    seen.push(base)
    const { uri = '', uriBaseId } = run.originalUriBaseIds?.[base] ?? {}
    if (/^([a-z]+:|\/)/i.test(path[0] as string) || /^([a-z]+:|\/)/i.test(uri)) break
    if (uri !== '') path.unshift(uri.endsWith('/') ? uri : `${uri}/`)
    base = uriBaseId
  }
  // The address of a server that is never asked keeps a relative path as it is, but for its dots.
  const key = path.length === 1 ? location.uri : new URL(path.join(''), 'x://host/').pathname.slice(1)
  return artifact?.parentIndex === undefined
    ? key
    : `${fileOf(run, { index: artifact.parentIndex })}!/${key.replace(/^\//, '')}`
}

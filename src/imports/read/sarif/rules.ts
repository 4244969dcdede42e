import { z } from 'zod'
import { check, itemAt, listOf, memberOf, textOf } from './check.ts'
import { Invocation, RuleReference, SarifLevel, type SarifResult, SarifRule, type SarifRun } from './model.ts'

/** The rule of a result: its id as the result gives it, and what the tool says of it. */
export interface FoundRule {
  id: string
  rule?: SarifRule | undefined
  /** The component of the tool that defines it. */
  component?: unknown
}

/** A component of a tool, with the indexes of its rules. */
interface IndexedComponent {
  value: unknown
  place: string
  byId: ReadonlyMap<string, number>
  byGuid: ReadonlyMap<string, number>
}

interface Descriptor {
  component: IndexedComponent
  index: number
}

const isGuid = (value: unknown, guid: string) => textOf(value)?.toLowerCase() === guid.toLowerCase()

/** The ids of a rule and its parents: `R1/sub`, then `R1`. */
function* toParents(id: string): Generator<string> {
  for (let end = id.length; end > 0; end = id.lastIndexOf('/', end - 1)) yield id.slice(0, end)
}

const isWithin = (id: string, parent: string) => id === parent || id.startsWith(`${parent}/`)

/** Finds the rules of a run, and the levels that its invocations give them (SARIF 2.1.0, 3.27.10, 3.52 and 3.54). */
export class RunRules {
  readonly #run: SarifRun
  readonly #place: string
  readonly #components: readonly IndexedComponent[]
  /** The rules of results that have only an id or an index, by both. */
  readonly #found = new Map<string, FoundRule>()
  readonly #rules = new Map<unknown, SarifRule>()
  readonly #invocations = new Map<unknown, Invocation>()
  readonly #overrides = new Map<Invocation, Overrides>()

  constructor(run: SarifRun, place: string) {
    const { driver, extensions } = run.tool
    this.#run = run
    this.#place = place
    this.#components = [
      indexComponent(driver, `${place}.tool.driver`),
      ...listOf(extensions).map((each, index) => indexComponent(each, `${place}.tool.extensions.${index}`)),
    ]
  }

  find({ ruleId, ruleIndex, rule }: SarifResult): FoundRule {
    if (rule !== undefined) return this.#find({ ...rule, id: textOf(ruleId) ?? textOf(rule.id) }, ruleIndex)
    const key = `${ruleIndex} ${ruleId}`
    const known = this.#found.get(key) ?? this.#find({ id: textOf(ruleId) }, ruleIndex)
    this.#found.set(key, known)
    return known
  }

  #find(reference: RuleReference, ruleIndex: number | undefined): FoundRule {
    const { id, index = -1 } = reference
    const descriptor = this.#describe({ ...reference, index: index >= 0 ? index : ruleIndex })
    if (descriptor === undefined) return { id: id ?? 'unknown' }
    const rule = this.#check(descriptor)
    return { id: id ?? textOf(rule.id) ?? 'unknown', rule, component: descriptor.component.value }
  }

  level(result: SarifResult, { id, rule }: FoundRule): SarifLevel {
    if (result.level !== undefined) return result.level
    if (result.kind !== undefined && result.kind !== 'fail') return 'none'
    return this.#overriddenLevel(result, { id, rule }) ?? rule?.defaultConfiguration?.level ?? 'warning'
  }

  /** The invocation that gave a result. */
  invocationOf({ provenance }: SarifResult): Invocation | undefined {
    const given = provenance?.invocationIndex ?? -1
    // Without an index it is certain only if there is one.
    return this.#invocationAt(given >= 0 ? given : listOf(this.#run.invocations).length === 1 ? 0 : undefined)
  }

  /** When a result was detected. */
  endOf(result: SarifResult): string | undefined {
    const invocation = this.invocationOf(result) ?? this.#invocationAt(0)
    return invocation?.endTimeUtc ?? invocation?.startTimeUtc
  }

  /** See `ReadRun`. */
  outcome(): { endedAt?: number; isIncomplete: boolean } {
    const all = [...listOf(this.#run.invocations).keys()].flatMap((index) => this.#invocationAt(index) ?? [])
    const ends = all
      .flatMap(({ startTimeUtc, endTimeUtc }) => endTimeUtc ?? startTimeUtc ?? [])
      .map((end) => Date.parse(check(z.iso.datetime({ offset: true }), end, `${this.#place}.invocations.endTimeUtc`)))
    return {
      ...(ends.length === 0 ? {} : { endedAt: Math.max(...ends) }),
      isIncomplete:
        !Array.isArray(this.#run.results) || all.some(({ executionSuccessful }) => executionSuccessful === false),
    }
  }

  #invocationAt(index: number | undefined): Invocation | undefined {
    const raw = itemAt(this.#run.invocations, index)
    if (raw === undefined) return undefined
    const known = this.#invocations.get(raw)
    if (known !== undefined) return known
    const invocation = check(Invocation, raw, `${this.#place}.invocations.${index}`)
    this.#invocations.set(raw, invocation)
    return invocation
  }

  #overriddenLevel(result: SarifResult, { id, rule }: FoundRule): SarifLevel | undefined {
    const invocation = this.invocationOf(result)
    if (invocation === undefined) return undefined
    const overrides =
      this.#overrides.get(invocation) ?? this.#readOverrides(listOf(invocation.ruleConfigurationOverrides))
    this.#overrides.set(invocation, overrides)
    const level = overrides.find(id, rule)
    return level === undefined
      ? undefined
      : check(SarifLevel, level, `${this.#place}.invocations.ruleConfigurationOverrides`)
  }

  #readOverrides(list: readonly unknown[]): Overrides {
    const overrides = new Overrides()
    for (const override of list) {
      const reference = RuleReference.safeParse(memberOf(override, 'descriptor')).data
      const level = memberOf(memberOf(override, 'configuration'), 'level')
      if (reference === undefined || level === undefined) continue
      const descriptor = this.#describe(reference)
      overrides.add(reference.id, descriptor && this.#check(descriptor), level)
    }
    return overrides
  }

  /** The rule that a reference means, by index, guid, id or a parent of the id, in this order. */
  #describe(reference: RuleReference): Descriptor | undefined {
    const { id, index, guid, toolComponent } = reference
    const named = toolComponent === undefined ? this.#components[0] : this.#findComponent(toolComponent)
    const raw = itemAt(memberOf(named?.value, 'rules'), index)
    const atIndex =
      named !== undefined && index !== undefined && raw !== undefined ? { component: named, index } : undefined
    if (atIndex !== undefined) {
      const own = textOf(memberOf(raw, 'id'))
      if (id === undefined || own === undefined || isWithin(id, own)) return atIndex
    }
    const searched = toolComponent === undefined || named === undefined ? this.#components : [named]
    return (
      (guid === undefined ? undefined : findIn(searched, 'byGuid', guid.toLowerCase())) ??
      (id === undefined ? undefined : findParent(searched, id)) ??
      atIndex
    )
  }

  #findComponent({ index = -1, guid, name }: NonNullable<RuleReference['toolComponent']>) {
    const [driver, ...extensions] = this.#components
    if (index >= 0) return extensions[index]
    if (guid !== undefined) return this.#components.find(({ value }) => isGuid(memberOf(value, 'guid'), guid))
    return name === undefined ? driver : this.#components.find(({ value }) => memberOf(value, 'name') === name)
  }

  #check({ component, index }: Descriptor): SarifRule {
    const raw = itemAt(memberOf(component.value, 'rules'), index)
    const known = this.#rules.get(raw)
    if (known !== undefined) return known
    const rule = check(SarifRule, raw, `${component.place}.rules.${index}`)
    this.#rules.set(raw, rule)
    return rule
  }
}

/** The levels that an invocation gives to rules, unchecked. */
class Overrides {
  readonly #ofRules = new Map<SarifRule, unknown>()
  readonly #ofIds = new Map<string, unknown>()

  /** A reference to a part of a rule (`R1/sub`), or to a rule that the tool does not describe, is kept by its id. */
  add(id: string | undefined, rule: SarifRule | undefined, level: unknown): void {
    if (rule !== undefined && (id === undefined || id === rule.id)) this.#ofRules.set(rule, level)
    else if (id !== undefined) this.#ofIds.set(id, level)
  }

  find(id: string, rule: SarifRule | undefined): unknown {
    for (const parent of toParents(id)) {
      if (rule !== undefined && parent === rule.id) break
      if (this.#ofIds.has(parent)) return this.#ofIds.get(parent)
    }
    return rule === undefined ? undefined : this.#ofRules.get(rule)
  }
}

function indexComponent(value: unknown, place: string): IndexedComponent {
  const byId = new Map<string, number>()
  const byGuid = new Map<string, number>()
  for (const [index, rule] of listOf(memberOf(value, 'rules')).entries()) {
    const id = textOf(memberOf(rule, 'id'))
    const guid = textOf(memberOf(rule, 'guid'))?.toLowerCase()
    if (id !== undefined && !byId.has(id)) byId.set(id, index)
    if (guid !== undefined && !byGuid.has(guid)) byGuid.set(guid, index)
  }
  return { value, place, byId, byGuid }
}

function findIn(components: readonly IndexedComponent[], by: 'byId' | 'byGuid', key: string): Descriptor | undefined {
  for (const component of components) {
    const index = component[by].get(key)
    if (index !== undefined) return { component, index }
  }
  return undefined
}

function findParent(components: readonly IndexedComponent[], id: string): Descriptor | undefined {
  for (const parent of toParents(id)) {
    const found = findIn(components, 'byId', parent)
    if (found !== undefined) return found
  }
  return undefined
}

import { isProposable } from '../../operation/consent.ts'
import type { Operation } from '../../operation/operation.ts'
import { type Tool, VIEW_URI } from '../protocol.ts'
import {
  bytesOf,
  type JsonSchema,
  minimalDetail,
  openLargeMembers,
  outputDetails,
  projectOutput,
  toJsonSchema,
  toPortable,
} from './json-schema.ts'

export type Toolset = 'agent' | 'admin'

export interface ToolSelection {
  toolsets: readonly Toolset[]
  /** List and allow only tools without side effects. */
  readOnly?: boolean
}

/** Maximum size of the tool list in bytes of JSON, because it costs model tokens. */
export const toolBudget = { agent: 10_800, all: 40_960 }

export interface CompiledTool {
  tool: Tool
  operation: Operation
  /** True when callers can set the number of listed items. */
  hasLimit: boolean
}

export interface CompiledTools {
  /** Sorted by name and frozen: every client gets the same bytes. */
  list: readonly Tool[]
  byName: ReadonlyMap<string, CompiledTool>
  /** Full schemas of the members listed as open objects, by resource name. */
  schemas: ReadonlyMap<string, JsonSchema>
}

interface Drafted {
  operation: Operation
  inputSchema: JsonSchema
  output: JsonSchema
}

/** What was compiled of a list of operations, which does not change, by the selection. */
const known = new WeakMap<readonly Operation[], Map<string, CompiledTools>>()

/**
 * Compiles operations to tools, once for each selection, with output schemas in the greatest detail that fits the budget.
 * @throws Error naming the operation whose schemas cannot be expressed, or the budget that cannot be met
 */
export function compileTools(
  operations: readonly Operation[],
  { toolsets, readOnly = false }: ToolSelection,
): CompiledTools {
  const bySelection = known.get(operations) ?? new Map<string, CompiledTools>()
  known.set(operations, bySelection)
  const key = [...toolsets, readOnly].join(' ')
  const compiled = bySelection.get(key) ?? compile(operations, { toolsets, readOnly })
  bySelection.set(key, compiled)
  return compiled
}

function compile(operations: readonly Operation[], selection: ToolSelection): CompiledTools {
  const schemas = new Map<string, JsonSchema>()
  const drafts = operations
    .filter((operation) => isSelected(operation, selection))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((operation) => draft(operation, schemas))
  const agents = drafts.filter(({ operation }) => operation.toolset === 'agent')
  const admins = drafts.filter(({ operation }) => operation.toolset === 'admin')
  const agentTools = toFitting(agents, toolBudget.agent, 'agent')
  const adminTools = toFitting(admins, toolBudget.all - bytesOf(agentTools), 'admin')
  const toolOf = new Map([...agentTools, ...adminTools].map((tool) => [tool.name, freeze(tool)]))
  const compiled = drafts.flatMap(({ operation, inputSchema }): CompiledTool[] => {
    const tool = toolOf.get(operation.name)
    return tool === undefined ? [] : [{ tool, operation, hasLimit: hasLimit(inputSchema) }]
  })
  return {
    list: Object.freeze(compiled.map(({ tool }) => tool)),
    byName: new Map(compiled.map((entry) => [entry.tool.name, entry])),
    schemas,
  }
}

/** The tools compiled by the build, combined with their operations. */
export function adoptTools(
  operations: readonly Operation[],
  { tools, schemas }: { tools: readonly Tool[]; schemas: Readonly<Record<string, JsonSchema>> },
): CompiledTools {
  const byTool = new Map(operations.map((operation) => [operation.name, operation]))
  const entries = tools.flatMap((tool): [string, CompiledTool][] => {
    const operation = byTool.get(tool.name)
    return operation === undefined ? [] : [[tool.name, { tool, operation, hasLimit: hasLimit(tool.inputSchema) }]]
  })
  return { list: tools, byName: new Map(entries), schemas: new Map(Object.entries(schemas)) }
}

const hasLimit = ({ properties }: JsonSchema) => 'limit' in (properties as object)

function isSelected({ toolset, effect }: Operation, { toolsets, readOnly = false }: ToolSelection): boolean {
  return toolset !== undefined && toolsets.includes(toolset) && !(readOnly && effect === 'write')
}

function draft(operation: Operation, schemas: Map<string, JsonSchema>): Drafted {
  try {
    const whole = toJsonSchema(operation.input, 'input')
    const members = (whole.properties ?? {}) as Record<string, JsonSchema>
    const inputSchema = openLargeMembers(toPortable(whole, 'input'), (member) => {
      const full = withoutNull(members[member] ?? {})
      const name = nameSchema(schemas, operation.name, member, full)
      schemas.set(name, full)
      return `assay://schemas/${name}`
    })
    return { operation, inputSchema, output: toPortable(toJsonSchema(operation.output, 'output'), 'output') }
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw new Error(`${operation.name} cannot be a tool: ${cause}`, { cause: error })
  }
}

/** The schema of an answer that may be a proposal instead. */
function orProposed({ required: _, ...output }: JsonSchema): JsonSchema {
  const status = { type: 'string', description: 'proposed: it waits for a person.' }
  return { ...output, properties: { ...(output.properties as object), status, proposal: { type: 'object' } } }
}

/** Members of the same shape share one resource, named after the first of them. */
function nameSchema(schemas: Map<string, JsonSchema>, operation: string, member: string, full: JsonSchema): string {
  const shape = shapeOf(full)
  for (const [name, known] of schemas) if (shapeOf(known) === shape) return name
  return schemas.has(member) ? `${operation}.${member}` : member
}

function withoutNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...others } = schema
  const choices = ((anyOf ?? []) as JsonSchema[]).filter(({ type }) => type !== 'null')
  const [only] = choices
  return choices.length === 1 && only !== undefined ? { ...only, ...others } : schema
}

const shapeOf = ({ description: _description, default: _default, ...shape }: JsonSchema) => JSON.stringify(shape)

/**
 * Where the greatest detail exceeds the budget, the tool with the largest output is reduced first; none is reduced to
 * the minimum while another can still be reduced.
 */
function toFitting(drafts: readonly Drafted[], budget: number, what: string): Tool[] {
  const levels = drafts.map(() => 0)
  const tools = drafts.map((each) => toTool(each, 0))
  const outputBytes = tools.map(({ outputSchema }) => bytesOf(outputSchema))
  const last = outputDetails.length - 1
  let bytes = bytesOf(tools)
  while (bytes > budget) {
    const index = largestOf(outputBytes, levels, last - 1) ?? largestOf(outputBytes, levels, last)
    const each = drafts[index ?? -1]
    if (index === undefined || each === undefined) {
      throw new Error(`the ${what} tools take ${bytes} bytes of at most ${budget}; shorten summaries and descriptions`)
    }
    const level = (levels[index] ?? 0) + 1
    levels[index] = level
    const tool = toTool(each, level)
    tools[index] = tool
    // Nothing else of the tool has changed.
    const own = bytesOf(tool.outputSchema)
    bytes += own - (outputBytes[index] ?? 0)
    outputBytes[index] = own
  }
  return tools
}

function largestOf(outputBytes: readonly number[], levels: readonly number[], below: number): number | undefined {
  const sizes = outputBytes.map((bytes, index) => ({ index, bytes }))
  const [largest] = sizes.filter(({ index }) => (levels[index] ?? 0) < below).sort((a, b) => b.bytes - a.bytes)
  return largest?.index
}

function toTool({ operation, inputSchema, output }: Drafted, level: number): Tool {
  const detail = outputDetails[level] ?? minimalDetail
  const { name, title, summary, effect, destructive, idempotent, openWorld, isDrawn = false } = operation
  const outputSchema = projectOutput(output, detail)
  return {
    name,
    title,
    description: summary,
    inputSchema,
    outputSchema: isProposable(operation) ? orProposed(outputSchema) : outputSchema,
    annotations: {
      readOnlyHint: effect === 'read',
      destructiveHint: destructive,
      // It has a meaning for tools that write only.
      ...(effect === 'read' ? {} : { idempotentHint: idempotent }),
      openWorldHint: openWorld,
    },
    ...(isDrawn ? { _meta: { ui: { resourceUri: VIEW_URI } } } : {}),
  }
}

function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const member of Object.values(value)) freeze(member)
  }
  return value
}

import type { z } from 'zod'
import { AppError, type Issue } from '../kernel/errors.ts'
import { stripInvisible } from '../kernel/invisible.ts'
import { isObject } from '../kernel/json-object.ts'
import type { Shown } from '../kernel/shown.ts'
import { type Consent, requireConsent } from './consent.ts'
import type { Caller, ReadContext, Scope, WriteContext } from './context.ts'
import { coerce, leaveOutNulls } from './input/coerce.ts'
import { requireWellFormed } from './input/input-limits.ts'
import { badInput, parseWhole } from './input/parse.ts'
import { explainIssues, placeName } from './input/repair.ts'
import { openCodes, resolveCodes } from './lockdown/codes.ts'
import { isLockedDown, withhold, withholdSuggestions } from './lockdown/lockdown.ts'
import { toSafeError, withoutRepeated } from './repeated.ts'
import { showKey } from './shown-key.ts'

type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameters<Rest>
  : never
type InputSchema = z.ZodType<object>

/** The query thread answers questions, the scan thread makes changes that may concern very many findings. */
type RunsOn = 'query-thread' | 'scan-thread'
export interface DefinitionEffect {
  kind: 'terms' | 'metrics' | 'dashboards'
  list: boolean
}

interface Declared<Input extends InputSchema, Output extends z.ZodType, Route extends string> {
  /** verb_noun: the tool's name, the OpenAPI operationId, the word after `assay call`. */
  name: string
  title: string
  /** One or two sentences: what it does and when to use it. */
  summary: string
  /** The least a caller must be allowed to do. */
  scope: Scope
  /** Every `{parameter}` is a member of the input; absent: not in REST. */
  route?: Route & (PathParameters<Route> extends keyof z.input<Input> ? Route : never)
  /** 201 adds a `Location`. */
  status?: 200 | 201
  location?: (output: z.output<Output>) => string
  /** Which toolset lists it over MCP; absent: not a tool. */
  toolset?: 'agent' | 'admin'
  /** Calling it twice with the same input is the same as once. Default: true for reads, false for writes. */
  idempotent?: boolean
  /** The thread that runs it where there are many findings; absent: the thread of the door. */
  runsOn?: RunsOn
  /** `computed`: a read that reckons with many rows; few of them run at once for holders of tokens. */
  cost?: 'computed'
  /** The kind of definition that it changes, one that the input names, and whether the list of them changes as well. */
  changes?: DefinitionEffect
  /** It takes something away. */
  destructive?: boolean
  /** It asks systems outside this machine. */
  openWorld?: boolean
  /** It says how far it is while it runs, through `context.progress`. */
  tellsProgress?: boolean
  /** Its answer carries text from a scanned tenant, which assistants must take for data. */
  untrusted?: boolean
  /** `own`: all its texts are ours or an operator's, so that lockdown shows them; else each text says so in `output`. */
  texts?: 'own'
  input: Input
  /** What is wrong in members that the schema leaves open; asked when the input fails, so that all is told at once. */
  examine?: (raw: Readonly<Record<string, unknown>>) => Issue[]
  output: Output
  /**
   * Compact text for assistants, line by line; absent: the answer as JSON. It holds every number of the answer in plain
   * digits.
   */
  render?: (output: z.output<Output>) => readonly Shown[]
}

export interface ReadOperation<
  Input extends InputSchema = InputSchema,
  Output extends z.ZodType = z.ZodType,
  Route extends string = string,
> extends Declared<Input, Output, Route> {
  effect: 'read'
  run(input: z.output<Input>, context: ReadContext): z.output<Output> | Promise<z.output<Output>>
}

export interface WriteOperation<
  Input extends InputSchema = InputSchema,
  Output extends z.ZodType = z.ZodType,
  Route extends string = string,
> extends Declared<Input, Output, Route> {
  effect: 'write'
  /** What a person must agree to when an assistant calls it. */
  consent: Consent
  run(input: z.output<Input>, context: WriteContext): z.output<Output> | Promise<z.output<Output>>
}

/** An operation with its types erased, as the catalogue and the doors see it. */
export interface Operation {
  name: string
  title: string
  summary: string
  effect: 'read' | 'write'
  consent: Consent
  scope: Scope
  route?: string
  status: 200 | 201
  location?: (output: never) => string
  toolset?: 'agent' | 'admin'
  idempotent: boolean
  runsOn?: RunsOn
  cost?: 'computed'
  changes?: DefinitionEffect
  destructive: boolean
  openWorld: boolean
  tellsProgress: boolean
  untrusted?: boolean
  texts?: 'own'
  input: InputSchema
  examine?: (raw: Readonly<Record<string, unknown>>) => Issue[]
  output: z.ZodType
  render?: (output: never) => readonly Shown[]
  run(input: never, context: WriteContext): unknown
}

export function operation<Input extends InputSchema, Output extends z.ZodType, Route extends string>(
  declared: ReadOperation<Input, Output, Route> | WriteOperation<Input, Output, Route>,
): Operation {
  const { idempotent = declared.effect === 'read', status = 200 } = declared
  const { destructive = false, openWorld = false, tellsProgress = false } = declared
  const consent = declared.effect === 'write' ? declared.consent : 'none'
  return { ...declared, consent, idempotent, destructive, openWorld, tellsProgress, status } as Operation
}

/**
 * Runs an operation on raw input: checks the caller's scope, forgives its form, parses it whole, runs, parses the
 * output.
 * @throws AppError `forbidden`, or `invalid_input` with every problem and its path.
 */
export async function call(operation: Operation, raw: unknown, context: WriteContext): Promise<unknown> {
  try {
    return await answer(operation, raw, context)
  } catch (error) {
    throw error instanceof AppError ? toSafeError(error, raw) : error
  }
}

async function answer(operation: Operation, raw: unknown, context: WriteContext): Promise<unknown> {
  if (!context.caller.scopes.has(operation.scope)) context.onRefused?.(operation.name)
  requireScope(operation.name, operation.scope, context.caller)
  // In a change null may mean to take something away, so there it is left for the schema to judge.
  const given = operation.effect === 'read' ? leaveOutNulls(operation.input, raw) : { value: raw, coerced: [] }
  const { value, coerced: adapted } = coerce(operation.input, given.value)
  const coerced = [...given.coerced, ...adapted]
  const input = parseArguments(operation, value, context)
  if (operation.consent === 'always') requireConsent(context.caller, operation.title)
  const work = () => run(operation, input, coerced.length === 0 ? context : { ...context, coerced })
  const output = await (context.around === undefined ? work() : context.around(operation, work))
  const visible = stripInvisible(operation.output.parse(output))
  // Answers repeat what was asked; whatever else is in them is safe.
  const safe = withoutRepeated([raw, input], visible)
  if (operation.texts === 'own' || !isLockedDown(context)) return safe
  return withhold(operation.output, safe, await openCodes(context))
}

/** @throws AppError `forbidden`, reason `insufficient_scope`. */
export function requireScope(what: string, scope: Scope, caller: Caller): void {
  if (caller.scopes.has(scope)) return
  throw new AppError('forbidden', `${what} needs the scope '${scope}'; ask for a token that has it.`, {
    reason: 'insufficient_scope',
    facts: { scope },
  })
}

async function run(operation: Operation, input: object, context: WriteContext): Promise<unknown> {
  try {
    if (operation.effect === 'write') {
      const done =
        operation.runsOn === 'scan-thread' ? context.runOnScanThread?.(operation.name, input, context) : undefined
      if (done !== undefined) return await done
      await context.untilFree?.()
      return await operation.run(input as never, context)
    }
    const answered =
      operation.runsOn === 'query-thread' ? await context.runOnQueryThread?.(operation.name, input, context) : undefined
    return answered === undefined ? await operation.run(input as never, context) : answered.output
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const placed = placeName(operation.name, { ...input }, error)
    throw isLockedDown(context) ? withholdSuggestions(placed) : placed
  }
}

/** As `parseInput`, with the corrected call where nothing has to be guessed. */
function parseArguments({ name, input, examine }: Operation, given: unknown, context: ReadContext): object {
  requireWellFormed(given)
  const raw = resolveCodes(input, given, context)
  try {
    return parseInput(input, raw)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const more = isObject(raw) ? (examine?.(raw) ?? []) : []
    if (more.length > 0) throw badInput([...(error.facts.issues ?? []), ...more], error.facts.suggestions)
    const failed = input.safeParse(raw)
    const repaired = failed.success ? undefined : explainIssues(input, raw, failed.error.issues, showKey).repaired
    if (repaired === undefined) throw error
    const { value } = coerce(input, repaired)
    if (!input.safeParse(value).success) throw error
    throw new AppError(error.code, error.message, {
      ...error.facts,
      fix: { tool: name, arguments: value as Record<string, unknown> },
    })
  }
}

/** Parses input whole. @throws AppError `invalid_input` with one issue for every problem. */
export const parseInput = <Schema extends z.ZodType>(schema: Schema, raw: unknown): z.output<Schema> =>
  parseWhole(schema, raw, showKey)

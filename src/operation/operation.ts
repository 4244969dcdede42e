import type { z } from 'zod'
import { AppError, type Issue, invalidInput } from '../kernel/errors.ts'
import { stripInvisible } from '../kernel/invisible.ts'
import { isObject } from '../kernel/json-object.ts'
import type { PrintableText } from '../kernel/shown.ts'
import { type Consent, mustPropose, requireConsent } from './consent.ts'
import type { Caller, ReadContext, Scope, WriteContext } from './context.ts'
import { type Coercion, coerce, leaveOutEmpty } from './input/coerce.ts'
import { requireWellFormed } from './input/input-limits.ts'
import { badInput, parseAll } from './input/parse.ts'
import { explainIssues, locateName } from './input/repair.ts'
import { createCodeMasker, resolveCodes } from './lockdown/codes.ts'
import { isLockedDown, withhold, withholdSuggestions, withholdValueIds } from './lockdown/lockdown.ts'
import { maskRepeatedSecrets, toSafeError } from './repeated.ts'
import { showKey } from './shown-key.ts'

type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameters<Rest>
  : never
type InputSchema = z.ZodType<object>

/** The query thread answers reads; the scan thread makes changes that may affect very many findings, and reads tenants. */
type RunsOn = 'query-thread' | 'scan-thread'
export interface DefinitionEffect {
  kind: 'terms' | 'metrics' | 'dashboards'
  list: boolean
}

/** File formats of answers besides JSON. */
export const fileFormats = ['csv', 'sarif', 'ndjson'] as const
export type ExportFormat = (typeof fileFormats)[number]

/** Writes the answer to raw input as a file, in parts; errors of the input come before the first part. */
export type WriteFile = (raw: unknown, context: WriteContext) => AsyncGenerator<string>
export type FileWriters = Readonly<Partial<Record<ExportFormat, WriteFile>>>

interface OperationDeclaration<Input extends InputSchema, Output extends z.ZodType, Route extends string> {
  /** In the form verb_noun: the name of the tool, the OpenAPI operationId, and the argument of `assay call`. */
  name: string
  title: string
  /** One or two sentences: what it does and when to use it. */
  summary: string
  /** The scope that a caller needs. */
  scope: Scope
  /** Every `{parameter}` is a member of the input; absent: not available over REST. */
  route?: Route & (PathParameters<Route> extends keyof z.input<Input> ? Route : never)
  /** 201 adds a `Location` header. */
  status?: 200 | 201
  location?: (output: z.output<Output>) => string
  /** The toolset that lists it over MCP; absent: not a tool. */
  toolset?: 'agent' | 'admin'
  /** Calling it twice with the same input has the same effect as once. Default: true for reads, false for writes. */
  idempotent?: boolean
  /** The thread that runs it when there are many findings; absent: the thread that received the call. */
  runsOn?: RunsOn
  /** `computed`: a read that aggregates many rows; only a few run at once for holders of tokens. */
  cost?: 'computed'
  /** The kind of definition that it changes (the input names which one), and whether the list of them changes too. */
  changes?: DefinitionEffect
  /** It deletes something. */
  destructive?: boolean
  /** It sends requests to systems outside of this machine. */
  openWorld?: boolean
  /** Assistants with views draw its answer. */
  isDrawn?: boolean
  /** It reports its progress while it runs, through `context.progress`. */
  reportsProgress?: boolean
  /** Its answer contains text from a scanned tenant, which assistants must treat as data. */
  untrusted?: boolean
  /**
   * `own`: all its texts come from this program or an operator, so lockdown shows them; else each text is declared in
   * `output`.
   */
  texts?: 'own'
  input: Input
  /** What it takes, in words, for all errors of its input: they must not repeat what was given. */
  privateInput?: string
  /** Input in another form that it takes, with what that assumes; undefined for any other input. */
  readOther?: (raw: Readonly<Record<string, unknown>>) => { value: object; coerced: Coercion } | undefined
  /**
   * Checks members that the schema leaves open; called when the input fails, so that all problems are reported at once.
   */
  examine?: (raw: Readonly<Record<string, unknown>>) => Issue[]
  output: Output
  /**
   * Compact text for assistants, one item per line, with every number of the answer in plain digits; absent: the answer
   * as JSON.
   */
  render?: (output: z.output<Output>, input: Readonly<Record<string, unknown>>) => readonly PrintableText[]
  /** The files that its answer can be had as. */
  files?: FileWriters
  /** Its answer lists definitions and seldom changes, so clients over REST may revalidate it by its ETag. */
  isRevalidated?: boolean
}

export interface ReadOperation<
  Input extends InputSchema = InputSchema,
  Output extends z.ZodType = z.ZodType,
  Route extends string = string,
> extends OperationDeclaration<Input, Output, Route> {
  effect: 'read'
  run(input: z.output<Input>, context: ReadContext): z.output<Output> | Promise<z.output<Output>>
}

export interface WriteOperation<
  Input extends InputSchema = InputSchema,
  Output extends z.ZodType = z.ZodType,
  Route extends string = string,
> extends OperationDeclaration<Input, Output, Route> {
  effect: 'write'
  /** When a person must agree to a call by an assistant. */
  consent: Consent
  /** What a call would change, for the person who is asked: titles, and values before and after. */
  affected?: (input: z.output<Input>, context: ReadContext) => readonly string[]
  run(input: z.output<Input>, context: WriteContext): z.output<Output> | Promise<z.output<Output>>
}

/** An operation with its types erased, for the catalogue and the interfaces. */
export interface Operation {
  name: string
  title: string
  summary: string
  effect: 'read' | 'write'
  consent: Consent
  affected?: (input: never, context: ReadContext) => readonly string[]
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
  reportsProgress: boolean
  isDrawn?: boolean
  untrusted?: boolean
  texts?: 'own'
  input: InputSchema
  privateInput?: string
  readOther?: (raw: Readonly<Record<string, unknown>>) => { value: object; coerced: Coercion } | undefined
  examine?: (raw: Readonly<Record<string, unknown>>) => Issue[]
  output: z.ZodType
  render?: (output: never, input: Readonly<Record<string, unknown>>) => readonly PrintableText[]
  files?: FileWriters
  isRevalidated?: boolean
  run(input: never, context: WriteContext): unknown
}

export function operation<Input extends InputSchema, Output extends z.ZodType, Route extends string>(
  declared: ReadOperation<Input, Output, Route> | WriteOperation<Input, Output, Route>,
): Operation {
  const { idempotent = declared.effect === 'read', status = 200 } = declared
  const { destructive = false, openWorld = false, reportsProgress = false } = declared
  const consent = declared.effect === 'write' ? declared.consent : 'none'
  return { ...declared, consent, idempotent, destructive, openWorld, reportsProgress, status } as Operation
}

/**
 * Runs an operation on raw input: checks the caller's scope, adapts the form of the input, parses all of it, runs, and
 * parses the output.
 * @throws AppError `forbidden`, or `invalid_input` with every problem and its path.
 */
export async function call(operation: Operation, raw: unknown, context: WriteContext): Promise<unknown> {
  try {
    return await answer(operation, raw, context)
  } catch (error) {
    throw error instanceof AppError ? toSafeError(withoutInput(operation, error), raw) : error
  }
}

/** An error of input that must not be repeated, in words that do not. */
export const withoutInput = ({ privateInput }: Operation, error: AppError): AppError =>
  privateInput === undefined || error.code !== 'invalid_input'
    ? error
    : invalidInput(`The input is not valid: ${privateInput}`)

async function answer(operation: Operation, raw: unknown, context: WriteContext): Promise<unknown> {
  const { input, coerced } = await admit(operation, raw, context)
  if (operation.consent === 'always') {
    requireConsent(context.caller, operation.title, () => listAffected(operation, input, context))
  }
  const own = coerced.length === 0 ? context : { ...context, coerced }
  const work = () => run(operation, input, own)
  const output = await (context.around === undefined ? work() : context.around(operation, work))
  const present = await createPresenter(operation.output, { repeats: [raw, input], texts: operation.texts }, context)
  return present(stripInvisible(operation.output.parse(output)))
}

/** What a call would change; nothing where it names something that does not exist, which only its run reports. */
export function listAffected({ affected }: Operation, input: object, context: ReadContext): readonly string[] {
  try {
    return affected?.(input as never, context) ?? []
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}

interface Admitted {
  input: object
  coerced: Coercion[]
}

/**
 * Checks the caller's scope, adapts the form of raw input and parses it.
 * @throws AppError `forbidden`, or `invalid_input` with every problem and its path.
 */
export async function admit(operation: Operation, raw: unknown, context: WriteContext): Promise<Admitted> {
  const { caller } = context
  if (mustPropose(operation, caller)) requireConsent({ ...caller, needsConsent: true }, operation.title)
  if (!caller.scopes.has(operation.scope)) context.onRefused?.(operation.name)
  requireScope(operation.name, operation.scope, caller)
  return readInput(operation, raw, context)
}

/**
 * Adapts the form of raw input and parses it.
 * @throws AppError `invalid_input` with every problem and its path.
 */
export async function readInput(operation: Operation, raw: unknown, context: WriteContext): Promise<Admitted> {
  const { value, coerced } = adapt(operation, raw)
  return { input: parseArguments(operation, await resolveCodes(operation.input, value, context)), coerced }
}

function adapt(operation: Operation, raw: unknown): { value: unknown; coerced: Coercion[] } {
  const other = isObject(raw) ? operation.readOther?.(raw) : undefined
  if (other !== undefined) return { value: other.value, coerced: [other.coerced] }
  // In a write null may mean to remove a value, so the schema decides.
  const given = operation.effect === 'read' ? leaveOutEmpty(operation.input, raw) : { value: raw, coerced: [] }
  const { value, coerced } = coerce(operation.input, given.value)
  requireWellFormed(value)
  return { value, coerced: [...given.coerced, ...coerced] }
}

/** Returns how a parsed answer is shown to the caller; `repeats` is the input, which answers may repeat. */
export async function createPresenter(
  schema: z.ZodType,
  { repeats, texts }: { repeats: unknown; texts?: 'own' | undefined },
  context: WriteContext,
): Promise<(answer: unknown) => unknown> {
  const isLocked = isLockedDown(context)
  const masker = texts === 'own' || !isLocked ? undefined : await createCodeMasker(context)
  return (answer) => {
    // Answers may repeat the input; all their other texts are safe already.
    const safe = maskRepeatedSecrets(repeats, answer)
    if (!isLocked) return safe
    return withholdValueIds(masker === undefined ? safe : withhold(schema, safe, masker))
  }
}

/** @throws AppError `forbidden`, reason `insufficient_scope`. */
export function requireScope(what: string, scope: Scope, caller: Caller): void {
  if (caller.scopes.has(scope)) return
  throw new AppError('forbidden', `${what} requires the scope '${scope}'; use a token that has it.`, {
    reason: 'insufficient_scope',
    facts: { scope },
  })
}

async function run(operation: Operation, input: object, context: WriteContext): Promise<unknown> {
  try {
    const done = operation.runsOn === 'scan-thread' ? context.runOnScanThread?.(operation, input, context) : undefined
    if (done !== undefined) return await done
    if (operation.effect === 'write') {
      if (context.runOnOperationThread !== undefined) {
        return await context.runOnOperationThread(operation.name, input, context)
      }
      await context.waitForWriteLock?.()
      return await operation.run(input as never, context)
    }
    const answered =
      operation.runsOn === 'query-thread' ? await context.runOnQueryThread?.(operation.name, input, context) : undefined
    if (answered !== undefined) return answered.output
    const elsewhere = context.runOnOperationThread?.(operation.name, input, context)
    return await (elsewhere ?? operation.run(input as never, context))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const placed = locateName(operation.name, { ...input }, error)
    throw isLockedDown(context) ? withholdSuggestions(placed) : placed
  }
}

/** `parseInput`, with the corrected call in the error when nothing has to be guessed. */
function parseArguments({ name, input, examine }: Operation, raw: unknown): object {
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

/**
 * Parses input as a whole.
 * @throws AppError `invalid_input` with one issue per problem.
 */
export const parseInput = <Schema extends z.ZodType>(schema: Schema, raw: unknown): z.output<Schema> =>
  parseAll(schema, raw, showKey)

import type { Hono, Context as HonoContext } from 'hono'
import { z } from 'zod'
import { AppError, invalidInput } from '../kernel/errors.ts'
import { quote } from '../kernel/shown.ts'
import { closest } from '../kernel/suggest.ts'
import type { Caller, WriteContext } from '../operation/context.ts'
import { call, type Operation, withoutInput } from '../operation/operation.ts'
import { showKey } from '../operation/shown-key.ts'
import { locate, orPropose } from '../proposals/calling.ts'
import { readJsonObject } from './body.ts'
import { chooseForm, toFileResponse } from './forms.ts'
import { toTextResponse } from './replies.ts'

export interface RouteOptions {
  operations: readonly Operation[]
  contextFor(options: { caller: Caller; signal: AbortSignal }): WriteContext
  /** The address at which the client reaches this server. */
  baseOf(request: Request): string
}

/** Request-scoped variables available to every handler. */
export interface AppEnv {
  Variables: {
    caller: Caller
    /** The matching route of an operation, such as `GET /scans/{id}`. */
    route?: string
  }
}

export interface HttpRoute {
  method: string
  /** With `{parameters}`, as in OpenAPI. */
  path: string
  parameters: string[]
  operation: Operation
}

/** The members of an input that a query string gives in another form. */
interface QueryMembers {
  /** Lists, whose values may be comma-separated. */
  lists: ReadonlySet<string>
  /** Paths of members of nested objects, by their names in a query string. */
  nested: ReadonlyMap<string, readonly string[]>
}

/**
 * The routes of all operations, those with fewer parameters first, so that a fixed path takes precedence over a
 * `{parameter}`.
 */
export function listRoutes(operations: readonly Operation[]): HttpRoute[] {
  return operations
    .flatMap((operation) => {
      if (operation.route === undefined) return []
      const [method = '', path = ''] = operation.route.split(' ')
      const parameters = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
      return [{ method, path, parameters, operation }]
    })
    .sort((a, b) => a.parameters.length - b.parameters.length)
}

interface InputSchema {
  type?: unknown
  properties?: Record<string, InputSchema>
}

const inputOf = ({ input }: Operation): InputSchema =>
  z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as InputSchema

/**
 * The members of an input under the names that a query string gives them: those of nested objects with a dot, such as
 * `exclude.severities`; ranges without the object that holds them, such as `ageHours.min`.
 */
export function listQueryMembers({
  properties = {},
}: InputSchema): { name: string; path: string[]; schema: InputSchema }[] {
  const list = (
    members: Record<string, InputSchema>,
    path: string[],
  ): { name: string; path: string[]; schema: InputSchema }[] =>
    Object.entries(members).flatMap(([key, schema]) => {
      const own = [...path, key]
      if (schema.properties !== undefined) return list(schema.properties, own)
      return [{ name: own.filter((part) => part !== 'ranges').join('.'), path: own, schema }]
    })
  return list(properties, [])
}

const queryMembers = new WeakMap<Operation, QueryMembers>()

/** Read from the schema of an operation when it is first requested, because all of them take a quarter of a second. */
function findQueryMembers(operation: Operation): QueryMembers {
  const known = queryMembers.get(operation)
  if (known !== undefined) return known
  const members = listQueryMembers(inputOf(operation))
  const found = {
    lists: new Set(members.flatMap(({ name, schema }) => (schema.type === 'array' ? [name] : []))),
    nested: new Map(members.flatMap(({ name, path }) => (path.length > 1 ? [[name, path]] : []))),
  }
  queryMembers.set(operation, found)
  return found
}

export function addRoutes(app: Hono<AppEnv>, options: RouteOptions): void {
  const routes = listRoutes(options.operations)
  const methods = new Map<string, string[]>()
  for (const route of routes) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1')
    methods.set(path, [...(methods.get(path) ?? []), route.method])
    app.on(route.method, path, (c) => answer(c, route, options))
  }
  for (const [path, known] of methods) {
    app.all(path, () => {
      const allow = known.join(', ')
      throw new AppError('method_not_allowed', `This path supports ${allow} only.`, { facts: { allow } })
    })
  }
}

async function answer(c: HonoContext<AppEnv>, route: HttpRoute, options: RouteOptions): Promise<Response> {
  const { operation } = route
  c.set('route', `${route.method} ${route.path}`)
  const { files = {} } = operation
  const form = operation.files === undefined ? 'json' : chooseForm(c.req.header('accept') ?? null, files)
  const input = await readInput(c, route).catch((error: unknown) => {
    throw error instanceof AppError ? withoutInput(operation, error) : error
  })
  const context = options.contextFor({ caller: c.get('caller'), signal: c.req.raw.signal })
  const write = form === 'json' ? undefined : files[form]
  if (write !== undefined) {
    // What is computed goes through `call`, which admits few at once and runs it on another thread itself.
    const elsewhere =
      operation.cost === 'computed' ? undefined : context.writeOnOperationThread?.(operation.name, form, input)
    return toFileResponse(elsewhere ?? write(input, context), form, route.path.split('/').at(-1) ?? 'export')
  }
  const { operations, baseOf } = options
  const asked = { operations, operation, input, toAnswer: (output: unknown) => output }
  const outcome = await orPropose(asked, context, () => call(operation, input, context))
  if ('proposed' in outcome) {
    const status = /(?:^|,)\s*respond-async\b/i.test(c.req.header('prefer') ?? '') ? 200 : 202
    return Response.json(locate(outcome.proposed, baseOf(c.req.raw)), { status })
  }
  const output = outcome.answer
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (operation.files !== undefined) headers.vary = 'accept'
  const location = operation.status === 201 ? operation.location?.(output as never) : undefined
  if (location !== undefined) headers.location = location
  const text = JSON.stringify(output)
  const isRevalidated = operation.isRevalidated === true
  return toTextResponse(c.req.raw.headers, { text, status: operation.status, headers, isRevalidated })
}

async function readInput(c: HonoContext<AppEnv>, route: HttpRoute): Promise<Record<string, unknown>> {
  const hasBody = route.method === 'POST' || route.method === 'PUT' || route.method === 'PATCH'
  const query = c.req.url.includes('?') ? readQuery(new URL(c.req.url).searchParams, route.operation) : {}
  const input = hasBody ? await readJsonObject(c.req.raw) : query
  if (hasBody && Object.keys(query).length > 0) {
    throw invalidInput('This path takes its input from the body; remove the query string.', {
      issues: Object.keys(query).map((path) => ({ path, message: 'must be sent in the body.' })),
    })
  }
  for (const name of route.parameters) {
    const value = decodeParameter(c.req.param(name) ?? '')
    const given = input[name]
    if (given !== undefined && given !== value) {
      throw invalidInput(
        `${name} in the ${hasBody ? 'body' : 'query'} differs from the value in the path; leave it out.`,
        {
          issues: [{ path: name, message: `must be equal to ${quote(value)}, the value in the path.` }],
        },
      )
    }
    input[name] = value
  }
  return input
}

function decodeParameter(value: string): string {
  if (!value.includes('%')) return value
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/**
 * Moves members with dots in their names into nested objects.
 * @throws AppError `invalid_input` for an unknown one where there are such members
 */
function nest(query: Record<string, unknown>, nested: ReadonlyMap<string, readonly string[]>): Record<string, unknown> {
  const unknown = Object.keys(query).filter((name) => nested.size > 0 && name.includes('.') && !nested.has(name))
  const issues = unknown.map((name) => {
    const [near] = closest(name, nested.keys(), (known) => known)
    const advice = near === undefined ? '' : `; write it as ${near}`
    return { path: showKey(name), message: `is not a known key here${advice}.` }
  })
  const [first] = issues
  if (first !== undefined) throw invalidInput(`The input is not valid at ${first.path}: ${first.message}`, { issues })
  const input: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(query)) {
    const path = nested.get(name) ?? [name]
    let holder = input
    for (const part of path.slice(0, -1)) {
      const inner = Object.hasOwn(holder, part) ? holder[part] : undefined
      const next: Record<string, unknown> = typeof inner === 'object' && inner !== null ? { ...inner } : {}
      Object.defineProperty(holder, part, { value: next, enumerable: true, configurable: true, writable: true })
      holder = next
    }
    const last = path.at(-1) ?? name
    Object.defineProperty(holder, last, { value, enumerable: true, configurable: true, writable: true })
  }
  return input
}

/** A repeated key is a list; a list member that occurs once may be comma-separated. */
function readQuery(parameters: URLSearchParams, operation: Operation): Record<string, unknown> {
  const { lists, nested } = findQueryMembers(operation)
  const query: Record<string, unknown> = {}
  for (const key of new Set(parameters.keys())) {
    const given = parameters.getAll(key)
    const [only = ''] = given
    const values = given.length === 1 && lists.has(key) && !only.startsWith('[') ? only.split(',') : given
    Object.defineProperty(query, key, {
      value:
        values.length === 1 && !lists.has(key)
          ? values[0]
          : values.length === 1 && only.startsWith('[')
            ? only
            : values,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return nest(query, nested)
}

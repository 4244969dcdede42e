import type { Hono, Context as HonoContext } from 'hono'
import { AppError, invalidInput } from '../kernel/errors.ts'
import type { Log } from '../kernel/log.ts'
import type { Caller, WriteContext } from '../operation/context.ts'
import { call, type Operation } from '../operation/operation.ts'
import { readJsonObject } from './body.ts'

export interface RouteOptions {
  operations: readonly Operation[]
  contextFor(options: { caller: Caller; signal: AbortSignal }): WriteContext
  callerOf(request: Request): Caller
  log: Log
}

export interface Route {
  method: string
  /** With `{parameters}`, as in OpenAPI. */
  path: string
  parameters: string[]
  operation: Operation
}

/** The routes of the catalogue, those without parameters first, so that a fixed path wins over a `{parameter}`. */
export function listRoutes(operations: readonly Operation[]): Route[] {
  return operations
    .flatMap((operation) => {
      if (operation.route === undefined) return []
      const [method = '', path = ''] = operation.route.split(' ')
      const parameters = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
      return [{ method, path, parameters, operation }]
    })
    .sort((a, b) => a.parameters.length - b.parameters.length)
}

export function addRoutes(app: Hono, options: RouteOptions): void {
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
      throw new AppError('method_not_allowed', `This path answers to ${allow} only.`, { facts: { allow } })
    })
  }
}

async function answer(c: HonoContext, route: Route, options: RouteOptions): Promise<Response> {
  const { operation } = route
  const input = await readInput(c, route)
  const context = options.contextFor({ caller: options.callerOf(c.req.raw), signal: c.req.raw.signal })
  const output = await call(operation, input, context)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  const location = operation.status === 201 ? operation.location?.(output as never) : undefined
  if (location !== undefined) headers.location = location
  return new Response(JSON.stringify(output), { status: operation.status, headers })
}

async function readInput(c: HonoContext, route: Route): Promise<Record<string, unknown>> {
  const hasBody = route.method === 'POST' || route.method === 'PUT' || route.method === 'PATCH'
  const query = readQuery(new URL(c.req.url).searchParams)
  const input = hasBody ? await readJsonObject(c.req.raw) : query
  if (hasBody && Object.keys(query).length > 0) {
    throw invalidInput('This path takes its input in the body; remove the query string.', {
      issues: Object.keys(query).map((path) => ({ path, message: 'must stand in the body.' })),
    })
  }
  for (const name of route.parameters) {
    const value = decodeParameter(c.req.param(name) ?? '')
    const given = input[name]
    if (given !== undefined && given !== value) {
      throw invalidInput(`${name} in the ${hasBody ? 'body' : 'query'} differs from the path; leave it out there.`, {
        issues: [{ path: name, message: `must be equal to '${value}' of the path.` }],
      })
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

/** A key that stands more than once is a list. */
function readQuery(parameters: URLSearchParams): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  for (const key of new Set(parameters.keys())) {
    const values = parameters.getAll(key)
    Object.defineProperty(query, key, {
      value: values.length === 1 ? values[0] : values,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return query
}

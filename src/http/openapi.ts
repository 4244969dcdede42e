import { z } from 'zod'
import { given } from '../kernel/json-object.ts'
import { isProposable } from '../operation/consent.ts'
import type { Operation } from '../operation/operation.ts'
import { Proposed } from '../proposals/model.ts'
import { shareSchemas } from './components.ts'
import { type Form, forms } from './forms.ts'
import { ImportQuery, importMimes } from './import.ts'
import { httpStatus } from './problem.ts'
import { type HttpRoute, listQueryMembers, listRoutes } from './routes.ts'

type JsonObject = Record<string, unknown>

/** The OpenAPI 3.1 document of every operation with a route, and of the other routes. */
export function createOpenApi(operations: readonly Operation[], version: string): JsonObject {
  const paths: Record<string, JsonObject> = {}
  for (const route of listRoutes(operations)) {
    const item = paths[route.path] ?? {}
    item[route.method.toLowerCase()] = toOperationObject(route)
    paths[route.path] = item
  }
  for (const [path, item] of Object.entries(plainPaths)) paths[path] = { ...paths[path], ...item }
  const { document, schemas } = shareSchemas(paths)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Assay',
      version,
      description: 'A semantic layer over findings: glossary, certified metrics, query engine, sources and scans.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This server.' }],
    paths: Object.fromEntries(Object.entries(document).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas: { ...schemas, Problem: problem },
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'Required once a token exists.' } },
    },
    security: [{}, { token: [] }],
  }
}

function toOperationObject({ operation, method, parameters, path }: HttpRoute): JsonObject {
  const input = toJsonSchema(operation.input, 'input')
  const properties = (input.properties ?? {}) as Record<string, JsonObject>
  const required = new Set((input.required ?? []) as string[])
  const inPath = parameters.map((name) => ({
    name,
    in: 'path',
    required: true,
    ...describedSchema(properties[name] ?? { type: 'string' }),
  }))
  const others = Object.entries(properties).filter(([name]) => !parameters.includes(name))
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH'
  const inQuery = hasBody
    ? []
    : listQueryMembers({ properties: Object.fromEntries(others) }).map(({ name, schema }) => ({
        name,
        in: 'query',
        required: required.has(name),
        ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
        ...describedSchema(schema as JsonObject),
      }))
  const bodyRequired = others.map(([name]) => name).filter((name) => required.has(name))
  const body = {
    ...input,
    properties: Object.fromEntries(others),
    ...(bodyRequired.length > 0 ? { required: bodyRequired } : { required: undefined }),
  }
  return {
    operationId: operation.name,
    summary: operation.title,
    description: operation.summary,
    tags: [path.split('/')[1] === 'semantic' ? (path.split('/')[2] ?? 'semantic') : (path.split('/')[1] ?? 'other')],
    ...(inPath.length + inQuery.length > 0 ? { parameters: [...inPath, ...inQuery] } : {}),
    ...(hasBody && others.length > 0
      ? {
          requestBody: {
            required: bodyRequired.length > 0,
            content: { 'application/json': { schema: given(body) } },
          },
        }
      : {}),
    responses: {
      [operation.status]: {
        description: operation.status === 201 ? 'Created.' : 'The result.',
        ...(operation.status === 201 ? { headers: { Location: { schema: { type: 'string' } } } } : {}),
        content: {
          'application/json': { schema: toJsonSchema(operation.output, 'output') },
          ...Object.fromEntries(
            Object.keys(operation.files ?? {}).map((format) => [
              forms[format as Form].mediaType,
              { schema: { type: 'string' } },
            ]),
          ),
        },
      },
      ...(isProposable(operation)
        ? {
            202: {
              description: 'Proposed, because the caller may only propose it; 200 with `Prefer: respond-async`.',
              content: { 'application/json': { schema: toJsonSchema(Proposed, 'output') } },
            },
          }
        : {}),
      default: {
        description: `A problem: ${Object.entries(httpStatus)
          .map(([code, status]) => `${code} ${status}`)
          .join(', ')}.`,
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
    'x-scope': operation.scope,
  }
}

function describedSchema(schema: JsonObject): JsonObject {
  const { description, ...rest } = schema
  return { ...(description === undefined ? {} : { description }), schema: rest }
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'throw',
    reused: 'inline',
  }) as JsonObject
  return rest
}

const text = (description: string) => ({ type: 'string', description })

const problem = {
  type: 'object',
  description: 'RFC 9457 problem details.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: text('A name for the kind of problem.'),
    title: text('Short title of the kind of problem.'),
    status: { type: 'integer', description: 'The HTTP status.' },
    detail: text('What is wrong and what to do next.'),
    code: { type: 'string', enum: Object.keys(httpStatus), description: 'The closed list of codes.' },
    reason: text('A more specific reason within the code.'),
    issues: {
      type: 'array',
      description: 'Every problem of the input.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: text('Where.'), message: text('What.') },
      },
    },
    suggestions: {
      type: 'array',
      description: 'Similar names that may have been meant.',
      items: {
        type: 'object',
        required: ['value', 'kind'],
        properties: {
          value: text('The value to send.'),
          kind: text('What kind of object it is.'),
          label: text('Its display name.'),
        },
      },
    },
    fix: {
      type: 'object',
      description: 'The same call, corrected.',
      required: ['tool', 'arguments'],
      properties: { tool: text('The operation.'), arguments: { type: 'object', description: 'Its input.' } },
    },
  },
}

const health = {
  type: 'object',
  required: ['status', 'version'],
  properties: { status: { type: 'string', enum: ['ok'] }, version: text('Version of assay.') },
}

const outcome = (description: string) => ({ type: 'string', enum: ['ok', 'failed'], description })
const ready = {
  type: 'object',
  required: ['status', 'checks'],
  properties: {
    status: { type: 'string', enum: ['ready', 'not_ready'], description: 'All checks together.' },
    checks: {
      type: 'object',
      description: 'Each check.',
      properties: {
        database: outcome('The database answers, and can be written to.'),
        schema: outcome('It has the schema of this version.'),
        key: outcome('Credentials can be decrypted.'),
        disk: outcome('There is enough disk space to write.'),
      },
    },
    reason: { type: 'string', description: 'Why the first check failed, such as `database_unreachable`.' },
  },
}

const imported = {
  type: 'object',
  required: ['source', 'lines', 'assets', 'findings'],
  properties: {
    source: { type: 'object', properties: { id: text('Id of the source.'), name: text('Name of the source.') } },
    scanId: text('Id of the scan that records the import; absent after a dry run.'),
    lines: { type: 'integer', description: 'Findings in the file.' },
    assets: { type: 'integer', description: 'Assets they are in.' },
    findings: {
      type: 'object',
      description: 'Number of findings by outcome.',
      properties: { new: { type: 'integer' }, again: { type: 'integer' }, resolved: { type: 'integer' } },
    },
    preview: {
      type: 'array',
      description: 'After a dry run, the first three findings as they were understood.',
      items: { type: 'object' },
    },
  },
}

function toQueryParameters(query: z.ZodType): JsonObject[] {
  const { properties = {} } = toJsonSchema(query, 'input')
  return Object.entries(properties as Record<string, JsonObject>).map(([name, schema]) => ({
    ...{ name, in: 'query', required: false },
    ...describedSchema(schema),
  }))
}

const plainPaths: Record<string, JsonObject> = {
  '/findings/import': {
    post: {
      operationId: 'import_findings',
      summary: 'Import findings',
      description:
        'Imports findings of another scanner from a stream, all or nothing; sending the same file again changes nothing.',
      tags: ['findings'],
      parameters: toQueryParameters(ImportQuery),
      requestBody: {
        required: true,
        content: Object.fromEntries(importMimes.map((type) => [type, { schema: { type: 'string' } }])),
      },
      responses: {
        200: { description: 'Imported.', content: { 'application/json': { schema: imported } } },
        default: {
          description: 'A problem.',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
      'x-scope': 'admin',
    },
  },
  '/semantic/watches.atom': {
    get: {
      operationId: 'watch_feed',
      summary: 'Feed of watches',
      description: 'The last changes of state of all watches as an Atom feed.',
      tags: ['semantic'],
      responses: {
        200: { description: 'The feed.', content: { 'application/atom+xml': { schema: { type: 'string' } } } },
      },
      'x-scope': 'read',
    },
  },
  '/ready': {
    get: {
      operationId: 'ready',
      summary: 'Readiness of the server',
      description: 'Answers 200 when database, schema, key and disk are in order, and 503 otherwise.',
      tags: ['health'],
      responses: {
        200: { description: 'Ready.', content: { 'application/json': { schema: ready } } },
        503: { description: 'Not ready.', content: { 'application/json': { schema: ready } } },
      },
    },
  },
  '/metrics': {
    get: {
      operationId: 'metrics',
      summary: 'Operational metrics',
      description: 'Counts and durations in the Prometheus format; without a token only for clients on this machine.',
      tags: ['health'],
      responses: { 200: { description: 'Metrics.', content: { 'text/plain': { schema: { type: 'string' } } } } },
    },
  },
  '/health': {
    get: {
      operationId: 'health',
      summary: 'Liveness of the server',
      description: 'Answers 200 while the process is running.',
      tags: ['health'],
      responses: { 200: { description: 'Up.', content: { 'application/json': { schema: health } } } },
    },
  },
}

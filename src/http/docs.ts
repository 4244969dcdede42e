import { isObject } from '../kernel/json-object.ts'
import { inputNode } from '../operation/input/coerce.ts'
import { exampleOf } from '../operation/input/example.ts'
import type { Operation } from '../operation/operation.ts'
import { quoteForSh } from '../runtime/shell.ts'
import { listRoutes } from './routes.ts'

export const DOCS_PATH = '/docs'

/** Replaced by the address of the server when the page is sent. */
const ORIGIN = 'http://127.0.0.1:7411'

type JsonObject = Record<string, unknown>

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const html = (text: unknown) => String(text).replace(/[&<>"']/g, (character) => escapes[character] ?? character)
const objects = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** Sends the page to a client that reached the server at this address. */
export const atOrigin = (page: string, origin: string): string => page.replaceAll(ORIGIN, html(origin))

/** A page about every route of an OpenAPI document: grouped, searchable, with schemas, examples and curl commands. */
export function createDocsPage(openApi: JsonObject, operations: readonly Operation[], version: string): string {
  const byName = new Map(listRoutes(operations).map((route) => [route.operation.name, route.operation]))
  const routes = Object.entries(asObject(openApi.paths)).flatMap(([path, item]) =>
    Object.entries(asObject(item)).map(([method, operation]) => ({ path, method, operation: asObject(operation) })),
  )
  const tags = [...new Set(routes.map(({ operation }) => String(objectsOrTexts(operation.tags)[0] ?? 'other')))].sort()
  const groups = tags.map((tag) => {
    const own = routes.filter(({ operation }) => objectsOrTexts(operation.tags)[0] === tag)
    const title = tag.charAt(0).toUpperCase() + tag.slice(1).replaceAll('-', ' ')
    return `<section aria-labelledby="group-${html(tag)}"><h2 id="group-${html(tag)}">${html(title)}</h2>\n${own
      .map((route) => toOperation(route, byName.get(String(route.operation.operationId))))
      .join('\n')}</section>`
  })
  const schemas = Object.entries(asObject(asObject(openApi.components).schemas)).map(
    ([name, schema]) =>
      `<details id="schema-${html(name)}" data-words="${html(name.toLowerCase())}"><summary><code>${html(name)}</code></summary>${toSchema(schema)}</details>`,
  )
  const links = tags.map((tag) => `<li><a href="#group-${html(tag)}">${html(tag.replaceAll('-', ' '))}</a></li>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Assay ${html(version)}: REST API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${DOCS_PATH}/docs.css">
<script type="module" src="${DOCS_PATH}/docs.js"></script>
</head>
<body>
<header>
<h1>Assay ${html(version)}: REST API</h1>
<p>Requests and responses are JSON; errors are <code>application/problem+json</code>. Once a token exists, requests need the header <code>Authorization: Bearer …</code>. The machine-readable description is <a href="/openapi.json">/openapi.json</a>; assistants connect at <code>/mcp</code>.</p>
<form role="search"><label for="search">Search operations</label> <input id="search" type="search" autocomplete="off" aria-describedby="found"> <span id="found" role="status"></span></form>
<nav aria-label="Groups"><ul>${links.join('')}<li><a href="#schemas">schemas</a></li></ul></nav>
</header>
<main>
${groups.join('\n')}
<section aria-labelledby="schemas"><h2 id="schemas">Schemas</h2>
${schemas.join('\n')}</section>
</main>
</body>
</html>
`
}

const objectsOrTexts = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

interface DocumentedRoute {
  path: string
  method: string
  operation: JsonObject
}

function toOperation({ path, method, operation }: DocumentedRoute, of: Operation | undefined): string {
  const { operationId: id, summary, description, 'x-scope': scope } = operation
  const body = Object.entries(asObject(asObject(operation.requestBody).content))[0]
  const responses = Object.entries(asObject(operation.responses)).filter(([status]) => status !== 'default')
  const words = [id, summary, description, method, path].join(' ').toLowerCase()
  return `<details id="${html(id)}" data-words="${html(words)}">
<summary><span class="method ${html(method)}">${html(method.toUpperCase())}</span> <code>${html(path)}</code> <span class="title">${html(summary)}</span></summary>
<p>${html(description)}</p>
<p>Operation <code>${html(id)}</code>${scope === undefined ? '' : `, scope <code>${html(scope)}</code>`}. <a href="#${html(id)}">Link to it</a></p>
${toParameters(objects(operation.parameters))}${body === undefined ? '' : `<h3>Body (<code>${html(body[0])}</code>)</h3>${toSchema(asObject(body[1]).schema)}`}
<h3>Example</h3>
${toExample({ path, method, operation }, of)}
${responses.map(([status, response]) => toResponse(status, asObject(response))).join('\n')}
</details>`
}

function toParameters(parameters: readonly JsonObject[]): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(
    ({ name, in: where, required, description = '', schema }) =>
      `<tr><th scope="row"><code>${html(name)}</code>${required === true ? ' (required)' : ''}</th><td>${html(where)}</td><td>${toType(asObject(schema))}</td><td>${html(description)}</td></tr>`,
  )
  return `<h3>Parameters</h3><table><thead><tr><th scope="col">name</th><th scope="col">in</th><th scope="col">type</th><th scope="col">description</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function toResponse(status: string, { content }: JsonObject): string {
  return Object.entries(asObject(content))
    .map(
      ([type, media]) =>
        `<h3>Response ${html(status)} (<code>${html(type)}</code>)</h3>${toSchema(asObject(media).schema)}`,
    )
    .join('')
}

const nameOfReference = (reference: unknown) => String(reference).split('/').at(-1) ?? ''

function toType(schema: JsonObject): string {
  if (schema.$ref !== undefined) {
    const name = html(nameOfReference(schema.$ref))
    return `<a href="#schema-${name}">${name}</a>`
  }
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `<code>${html(value)}</code>`).join(' ')
  if (schema.const !== undefined) return `<code>${html(schema.const)}</code>`
  const branches = objects(schema.anyOf ?? schema.oneOf)
  if (branches.length > 0) return [...new Set(branches.map(toType))].join(' or ')
  if (schema.type === 'array') return `list of ${toType(asObject(schema.items))}`
  return html(Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'any'))
}

/** The members of an object as a table, with those of members below them. */
function toSchema(value: unknown): string {
  const schema = asObject(value)
  const rows = listMembers(schema, '')
  if (rows.length === 0) return `<p>${toType(schema)}</p>`
  return `<table><thead><tr><th scope="col">member</th><th scope="col">type</th><th scope="col">description</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

const MAX_DEPTH = 3

function listMembers(schema: JsonObject, path: string, depth = 0): string[] {
  const of = schema.type === 'array' ? asObject(schema.items) : schema
  const required = new Set(objectsOrTexts(of.required))
  return Object.entries(asObject(of.properties)).flatMap(([name, value]) => {
    const member = asObject(value)
    const own = `${path}${name}`
    const mark = required.has(name) ? ' (required)' : ''
    const row = `<tr><th scope="row"><code>${html(own)}</code>${mark}</th><td>${toType(member)}</td><td>${html(member.description ?? '')}</td></tr>`
    return depth + 1 < MAX_DEPTH ? [row, ...listMembers(member, `${own}.`, depth + 1)] : [row]
  })
}

const pre = (text: string) => `<pre><code>${html(text)}</code></pre>`

/** A request that the operation accepts, as JSON and as a curl command. */
function toExample({ path, method, operation }: DocumentedRoute, of: Operation | undefined): string {
  const example = of === undefined ? {} : asObject(exampleOf(inputNode(of.input), () => '…'))
  const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(example[name] ?? name)))
  const rest = Object.fromEntries(Object.entries(example).filter(([name]) => !inPath.has(name)))
  const type = Object.keys(asObject(asObject(operation.requestBody).content))[0]
  if (type === 'application/json') {
    const json = JSON.stringify(rest)
    const lines = [
      `curl -X ${method.toUpperCase()} ${quoteForSh(ORIGIN + address)} \\`,
      "  -H 'content-type: application/json' \\",
      `  -d ${quoteForSh(json)}`,
    ]
    return `${pre(JSON.stringify(rest, null, 2))}${pre(lines.join('\n'))}`
  }
  if (type !== undefined) {
    return pre(`curl -X POST ${quoteForSh(`${ORIGIN}${address}?source=scanner`)} --data-binary @findings.ndjson`)
  }
  const flat = Object.entries(rest).filter(([, value]) => typeof value !== 'object')
  const query = flat.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')
  const url = quoteForSh(`${ORIGIN}${address}${query === '' ? '' : `?${query}`}`)
  return pre(method === 'get' ? `curl ${url}` : `curl -X ${method.toUpperCase()} ${url}`)
}

import type { Operation } from '../operation/operation.ts'
import { listRoutes } from './routes.ts'

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const html = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? character)

/** A page that lists every route, self-contained: no scripts, no external resources. */
export function createDocsPage(operations: readonly Operation[], version: string): string {
  const rows = listRoutes(operations)
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
    .map(
      ({ method, path, operation }) =>
        `<tr><td><code>${method}</code></td><td><code>${html(path)}</code></td><td><code>${html(operation.name)}</code></td><td>${html(operation.summary)}</td><td>${operation.scope}</td></tr>`,
    )
    .join('\n')
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Assay ${html(version)}</title><meta name="viewport" content="width=device-width">
<style>body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem}table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.4rem .6rem;border-bottom:1px solid #ddd}code{font-size:.9em}</style></head>
<body>
<h1>Assay ${html(version)}</h1>
<p>Governed questions about findings. The machine-readable description is at <a href="/openapi.json">/openapi.json</a>; assistants connect at <code>/mcp</code>. Requests and responses are JSON; errors are <code>application/problem+json</code>.</p>
<table><thead><tr><th>Method</th><th>Path</th><th>Operation</th><th>What it does</th><th>Scope</th></tr></thead>
<tbody>
${rows}
</tbody></table>
</body></html>
`
}

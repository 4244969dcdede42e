import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** The page of the host: the package's own bridge to a view in a double frame. */
const hostScript = `
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'
window.seen = { sizes: [], contexts: [], modes: [], initialized: 0, saved: [], opened: [] }
window.show = async ({ html, proxy, capabilities, context }) => {
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin')
  frame.style.width = '650px'
  frame.style.height = '600px'
  const bridge = new AppBridge(null, { name: 'test host', version: '1' }, capabilities, { hostContext: context })
  window.bridge = bridge
  bridge.oninitialized = () => { window.seen.initialized += 1 }
  bridge.onsizechange = ({ width, height }) => {
    window.seen.sizes.push({ width, height })
    frame.style.height = height + 'px'
  }
  bridge.onupdatemodelcontext = async (params) => { window.seen.contexts.push(params); return {} }
  if (capabilities.downloadFile) {
    bridge.ondownloadfile = async ({ contents }) => { window.seen.saved.push(...contents); return {} }
  }
  if (capabilities.openLinks) bridge.onopenlink = async ({ url }) => { window.seen.opened.push(url); return {} }
  bridge.onrequestdisplaymode = async ({ mode }) => {
    window.seen.modes.push(mode)
    bridge.setHostContext({ ...context, displayMode: mode })
    return { mode }
  }
  if (capabilities.serverTools) bridge.oncalltool = (params) => window.callTool(params)
  const ready = new Promise((resolve) => { bridge.onsandboxready = resolve })
  const initialized = new Promise((resolve) => {
    bridge.oninitialized = () => { window.seen.initialized += 1; resolve() }
  })
  frame.src = proxy
  document.body.append(frame)
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow))
  await ready
  await bridge.sendSandboxResourceReady({ html, sandbox: 'allow-scripts' })
  await initialized
}
`

/** The page of the other origin: it holds the view in a frame without an origin, and passes messages on. */
const proxyPage = `<!doctype html><meta charset="utf-8"><style>html,body,iframe{margin:0;border:0;width:100%;height:100%}</style><script>
let inner
addEventListener('message', ({ source, data }) => {
  if (source === parent) {
    if (data.method === 'ui/notifications/sandbox-resource-ready') {
      inner = document.createElement('iframe')
      inner.setAttribute('sandbox', data.params.sandbox)
      inner.srcdoc = data.params.html
      document.body.append(inner)
    } else inner?.contentWindow.postMessage(data, '*')
  } else if (source === inner?.contentWindow) parent.postMessage(data, '*')
})
addEventListener('DOMContentLoaded', () => {
  parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} }, '*')
})
</script><body>`

const policy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'none'; frame-src 'self'"

async function listen(pages: Readonly<Record<string, { type: string; text: string; policy?: string }>>) {
  const server = createServer((request, response) => {
    const page = pages[request.url ?? '']
    if (page === undefined) {
      response.writeHead(204).end()
      return
    }
    const headers = page.policy === undefined ? {} : { 'content-security-policy': page.policy }
    response.writeHead(200, { 'content-type': `${page.type}; charset=utf-8`, ...headers }).end(page.text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

export interface HostPages {
  /** The origin of the host's page. */
  origin: string
  /** The address of the page in the other origin. */
  proxy: string
  close(): void
}

/** Serves the page of a host and that of its sandbox, each in an origin of its own. */
export async function startHostPages(): Promise<HostPages> {
  const { outputFiles } = await build({
    stdin: { contents: hostScript, resolveDir: fileURLToPath(new URL('../../', import.meta.url)) },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  })
  const host = await listen({
    '/': {
      type: 'text/html',
      text: '<!doctype html><meta charset="utf-8"><title>Host</title><body><script type="module" src="/host.js"></script>',
    },
    '/host.js': { type: 'text/javascript', text: outputFiles[0]?.text ?? '' },
  })
  const sandbox = await listen({ '/': { type: 'text/html', text: proxyPage, policy } })
  const servers: Server[] = [host.server, sandbox.server]
  return {
    origin: host.origin,
    proxy: `${sandbox.origin}/`,
    close: () => {
      for (const server of servers) server.close()
    },
  }
}

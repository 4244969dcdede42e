/** What a tool answered, as the host passes it on. */
export interface ToolResult {
  content?: readonly { type: string; text?: string }[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
  _meta?: { 'assay/view'?: { console?: string } }
}

/** What the host says about the place of the view; a change names only what changed. */
export interface HostContext {
  theme?: 'light' | 'dark'
  styles?: { variables?: Readonly<Record<string, string | undefined>> }
  displayMode?: string
  availableDisplayModes?: readonly string[]
}

export interface ViewHost {
  /** Whether the view may call tools of the server. */
  canCall: boolean
  canUpdateContext: boolean
  call(name: string, input: object): Promise<ToolResult>
  /** Asks for another display mode; answers the one that it is in then. */
  show(mode: string): Promise<string>
  /** Gives the model the answer that the view shows now; best effort. */
  updateContext(text: string): void
  canOpen: boolean
  /** Opens an address outside of the host, which the host may ask the user about. */
  open(url: string): Promise<void>
  canSave: boolean
  /** Saves a file, which the host asks the user about. */
  save(name: string, text: string): Promise<void>
}

export interface ViewListener {
  onInput(input: Record<string, unknown>, isComplete: boolean): void
  onResult(result: ToolResult): void
  onCancelled(reason: string | undefined): void
  onContext(context: HostContext): void
  onTeardown(): void
}

type Message = Record<string, unknown>
const isMessage = (data: unknown): data is Message =>
  typeof data === 'object' && data !== null && (data as Message).jsonrpc === '2.0'

const PROTOCOL = '2026-01-26'

/**
 * Connects to the host, in revision 2026-01-26 of MCP Apps: JSON-RPC over `postMessage` with the window above. A host
 * does not repeat messages, so they are listened to before the first request.
 */
export async function connect(listener: ViewListener, view: Window = window): Promise<ViewHost> {
  const pending = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>()
  let last = 0
  // The origin of the host is not known; what is sent holds nothing that it did not give.
  const post = (message: object) => view.parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
  const ask = <Result>(method: string, params: object) =>
    new Promise<Result>((resolve, reject) => {
      last += 1
      pending.set(last, { resolve: resolve as (result: never) => void, reject })
      post({ id: last, method, params })
    })
  const receive = ({ id, method, params = {} }: { id?: unknown; method?: unknown; params?: Message }) => {
    if (method === 'ui/notifications/tool-input' || method === 'ui/notifications/tool-input-partial') {
      listener.onInput((params.arguments ?? {}) as Message, !method.endsWith('partial'))
    } else if (method === 'ui/notifications/tool-result') listener.onResult(params as ToolResult)
    else if (method === 'ui/notifications/tool-cancelled') listener.onCancelled(params.reason as string | undefined)
    else if (method === 'ui/notifications/host-context-changed') listener.onContext(params as HostContext)
    else if (id === undefined) return
    else if (method === 'ping') post({ id, result: {} })
    else if (method === 'ui/resource-teardown') {
      listener.onTeardown()
      post({ id, result: {} })
    } else post({ id, error: { code: -32601, message: 'The view has no such method.' } })
  }
  view.addEventListener('message', ({ source, data }) => {
    if (source !== view.parent || !isMessage(data)) return
    if (typeof data.method === 'string') return receive(data)
    const waiting = pending.get(Number(data.id))
    pending.delete(Number(data.id))
    if ('result' in data) waiting?.resolve(data.result as never)
    else waiting?.reject(new Error(String((data.error as Message | undefined)?.message ?? 'The host refused.')))
  })
  const { hostCapabilities = {}, hostContext = {} } = await ask<{
    hostCapabilities?: Message
    hostContext?: HostContext
  }>('ui/initialize', {
    appInfo: { name: 'assay', version: '1' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
    protocolVersion: PROTOCOL,
  })
  // Some hosts hide the view until then.
  post({ method: 'ui/notifications/initialized', params: {} })
  listener.onContext(hostContext)
  const measure = () => {
    const { width, height } = document.documentElement.getBoundingClientRect()
    post({
      method: 'ui/notifications/size-changed',
      params: { width: Math.ceil(width), height: Math.ceil(height) },
    })
  }
  new ResizeObserver(measure).observe(document.documentElement)
  return {
    canCall: 'serverTools' in hostCapabilities,
    canUpdateContext: 'updateModelContext' in hostCapabilities,
    canOpen: 'openLinks' in hostCapabilities,
    canSave: 'downloadFile' in hostCapabilities,
    call: (name, input) => ask('tools/call', { name, arguments: input }),
    save: async (name, text) => {
      const resource = { uri: `file:///${encodeURIComponent(name)}`, mimeType: 'text/csv', text }
      await ask('ui/download-file', { contents: [{ type: 'resource', resource }] })
    },
    open: async (url) => {
      await ask('ui/open-link', { url })
    },
    show: async (mode) => (await ask<{ mode: string }>('ui/request-display-mode', { mode })).mode,
    updateContext: (text) => {
      if (!('updateModelContext' in hostCapabilities)) return
      ask('ui/update-model-context', { content: [{ type: 'text', text }] }).catch(() => {})
    },
  }
}

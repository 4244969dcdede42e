import type { Readable, Writable } from 'node:stream'
import type { RequestId } from './request.ts'

type Sent = { id?: unknown; method?: string } & object

/** Handlers that bypass the SDK; undefined leaves a message to it. */
export interface Shortcuts {
  /** The response to the first message of a connection. */
  initialize(message: unknown): object | undefined
  endsInitialization(message: unknown): boolean
  /** The response to a request of an initialized 2025 client, or its JSON later; the promise never rejects. */
  answer(message: unknown, call: Call): { id: RequestId; answer: object | Promise<string> } | undefined
}

/** A request in progress; its abort signal is created on first use. */
export class Call {
  #controller: AbortController | undefined
  isAborted = false

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.isAborted) this.#controller.abort()
    return this.#controller.signal
  }

  abort(): void {
    this.isAborted = true
    this.#controller?.abort()
  }
}

export interface LineOptions {
  input: Readable
  output: Writable
  shortcuts: Shortcuts
  /** Called for the first message left to the SDK, which must then call `follow`. */
  connect(): void
  reportFault(error: Error): void
}

const LINE_BYTES = 10 * 1_048_576
const NO_MESSAGE = 'This is not one JSON-RPC 2.0 message.'

/** Newline-delimited messages on two streams. Tracks unanswered requests, so that shutdown can wait for them. */
export class LineTransport {
  readonly #options: LineOptions
  readonly #open = new Set<RequestId>()
  #waiting: (() => void)[] = []
  #chunks: Buffer[] = []
  #held = 0
  #closed = false
  #resolveClosed: () => void = () => {}
  /** Resolves when either side has closed the connection. */
  readonly closed = new Promise<void>((resolve) => {
    this.#resolveClosed = resolve
  })

  readonly #running = new Map<RequestId, Call>()
  #unsent: { line: string; done: ((error?: Error | null) => void) | undefined }[] = []
  #first = true
  #isInitialized = false
  /** The id of an `initialize` request answered by the SDK. */
  #initializeId: RequestId | undefined
  /**
   * Messages handled without the SDK that it must receive first, and the id under which its duplicate response to
   * `initialize` is discarded.
   */
  #replay: object[] = []
  #echo: string | undefined
  #follower: ((parsed: unknown) => void) | undefined
  /** Messages queued for the SDK; undefined until it is needed. */
  #queued: unknown[] | undefined

  constructor(options: LineOptions) {
    this.#options = options
  }

  open(): void {
    this.#options.input.on('data', this.#read)
  }

  /** Passes on all messages not answered here, from the first one on; `take` throws for an invalid message. */
  follow(take: (parsed: unknown) => void): void {
    this.#follower = take
    const left = this.#queued ?? []
    this.#queued = []
    for (const message of [...this.#replay, ...left]) this.#deliver(message)
    this.#replay = []
  }

  /** Resolves when every received request has been answered. */
  answered(): Promise<void> {
    if (this.#open.size === 0 || this.#closed) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  async send(message: Sent): Promise<void> {
    if (this.#closed) return
    const isAnswer = message.method === undefined
    if (isAnswer && this.#echo !== undefined && message.id === this.#echo) return
    if (isAnswer && 'result' in message && message.id === this.#initializeId) this.#isInitialized = true
    await new Promise<void>((resolve, reject) => {
      this.#write(JSON.stringify(message), (error) => (error ? reject(error) : resolve()))
    })
    if (isAnswer && isId(message.id)) this.#settle(message.id)
  }

  /** Sends a notification. */
  notify(method: string): void {
    if (!this.#closed && this.#isInitialized) this.#write(JSON.stringify({ method, jsonrpc: '2.0' }))
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#flush()
    const { input } = this.#options
    input.off('data', this.#read)
    input.pause()
    for (const call of this.#running.values()) call.abort()
    this.#release()
    this.#resolveClosed()
  }

  readonly #read = (chunk: Buffer | string): void => {
    let rest = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const line = this.#held === 0 ? rest.toString('utf8', 0, end) : this.#join(rest.subarray(0, end))
      rest = rest.subarray(end + 1)
      this.#take(line)
    }
    if (rest.length === 0) return
    this.#chunks.push(rest)
    this.#held += rest.length
    if (this.#held > LINE_BYTES) {
      this.#options.reportFault(new Error('a line of more than 10 MiB was received; the connection is closed'))
      void this.close()
    }
  }

  #join(end: Buffer): string {
    const line = Buffer.concat([...this.#chunks, end]).toString('utf8')
    this.#chunks = []
    this.#held = 0
    return line
  }

  #take(line: string): void {
    if (line.trim() === '') return
    let parsed: unknown
    try {
      parsed = JSON.parse(line)
    } catch {
      this.#refuse(null, -32700, 'This line is not JSON.')
      return
    }
    if (isInvalidMessage(parsed)) this.#refuse(idOf(parsed), -32600, NO_MESSAGE)
    else if (!this.#takeDirectly(parsed)) this.#forwardToSdk(parsed)
  }

  #takeDirectly(parsed: unknown): boolean {
    const { shortcuts } = this.#options
    if (this.#first) {
      this.#first = false
      return this.#initialize(parsed, shortcuts.initialize(parsed))
    }
    if (!this.#isInitialized) return false
    if (this.#queued === undefined && shortcuts.endsInitialization(parsed)) {
      this.#replay.push(parsed as object)
      return true
    }
    if (isCancelling(parsed)) {
      this.#cancel(parsed.params?.requestId)
      return this.#queued === undefined
    }
    const call = new Call()
    const direct = shortcuts.answer(parsed, call)
    if (direct === undefined) return false
    const { id, answer } = direct
    this.#open.add(id)
    if (!(answer instanceof Promise)) {
      this.#write(JSON.stringify(answer), () => this.#settle(id))
      return true
    }
    this.#running.set(id, call)
    const settle = () => {
      this.#running.delete(id)
      this.#settle(id)
    }
    void answer.then((line) => {
      if (call.isAborted || this.#closed) settle()
      else this.#write(line, settle)
    })
    return true
  }

  #initialize(request: unknown, answer: object | undefined): boolean {
    const { id } = membersOf(request)
    if (answer === undefined || !isId(id)) return false
    this.#isInitialized = true
    this.#echo = crypto.randomUUID()
    this.#replay = [{ ...membersOf(request), id: this.#echo }]
    this.#open.add(id)
    this.#write(JSON.stringify(answer), () => this.#settle(id))
    return true
  }

  /** Queues a message until the SDK is loaded. */
  #forwardToSdk(parsed: unknown): void {
    if (this.#follower !== undefined) {
      this.#deliver(parsed)
      return
    }
    const { id, method } = membersOf(parsed)
    if (typeof method === 'string' && isId(id)) this.#open.add(id)
    if (this.#queued === undefined) {
      this.#queued = []
      this.#options.connect()
    }
    this.#queued.push(parsed)
  }

  #deliver(parsed: unknown): void {
    const { id, method } = membersOf(parsed)
    const isRequest = typeof method === 'string' && isId(id)
    try {
      if (isRequest && method === 'initialize') this.#initializeId ??= id
      if (isRequest && id !== this.#echo) this.#open.add(id)
      if (isCancelling(parsed)) this.#cancel(parsed.params?.requestId)
      this.#follower?.(parsed)
    } catch (error) {
      this.#options.reportFault(error instanceof Error ? error : new Error(String(error)))
      this.#refuse(idOf(parsed), -32600, NO_MESSAGE)
      if (isRequest) this.#settle(id)
    }
  }

  #cancel(requestId: RequestId | undefined): void {
    if (requestId === undefined) return
    if (this.#running.has(requestId)) this.#running.get(requestId)?.abort()
    else this.#settle(requestId)
  }

  /** Lines of one event loop turn are written together: a system call for each would cost more than most responses. */
  #write(line: string, done?: (error?: Error | null) => void): void {
    this.#unsent.push({ line, done })
    if (this.#unsent.length === 1) setImmediate(() => this.#flush())
  }

  #flush(): void {
    const sent = this.#unsent
    if (sent.length === 0) return
    this.#unsent = []
    this.#options.output.write(`${sent.map((each) => each.line).join('\n')}\n`, (error) => {
      for (const each of sent) each.done?.(error)
    })
  }

  #refuse(id: RequestId | null, code: number, message: string): void {
    this.#write(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }))
  }

  #settle(id: RequestId): void {
    this.#open.delete(id)
    if (this.#open.size === 0) this.#release()
  }

  #release(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}

/** Ids that can be answered to, including numbers that only a broken client sends. */
const isId = (id: unknown): id is RequestId => typeof id === 'string' || typeof id === 'number'

const membersOf = (message: unknown): Readonly<Record<string, unknown>> =>
  typeof message === 'object' && message !== null ? (message as Record<string, unknown>) : {}

function idOf(message: unknown): RequestId | null {
  const { id } = membersOf(message)
  return isId(id) ? id : null
}

/** True for an object that is no JSON-RPC message, which need not be left to the SDK. */
function isInvalidMessage(message: unknown): boolean {
  const { jsonrpc, method } = membersOf(message)
  return jsonrpc !== '2.0' || (method !== undefined && typeof method !== 'string')
}

function isCancelling(message: unknown): message is { params?: { requestId?: RequestId } } {
  const { jsonrpc, method, params = {}, id } = membersOf(message)
  if (method !== 'notifications/cancelled' || jsonrpc !== '2.0' || id !== undefined) return false
  return typeof params === 'object' && params !== null
}

import type { Readable, Writable } from 'node:stream'
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server'

type Id = string | number

/** The answer that is on its way to a request, if it is one to be answered past the SDK; it never fails. */
type DirectAnswer = (message: unknown, signal: AbortSignal) => { id: Id; answer: Promise<object> } | undefined

const LINE_BYTES = 10 * 1_048_576

/** Messages as lines on two streams. It knows which requests are still unanswered, so that an ending can wait for them. */
export class LineTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #input: Readable
  readonly #output: Writable
  readonly #open = new Set<Id>()
  #waiting: (() => void)[] = []
  #chunks: Buffer[] = []
  #held = 0
  #closed = false
  #resolveClosed: () => void = () => {}
  /** Resolves when the connection is over, whoever ended it. */
  readonly closed = new Promise<void>((resolve) => {
    this.#resolveClosed = resolve
  })

  /** Answers some requests of a greeted 2025 client itself; undefined leaves the message to the SDK. */
  readonly #answer: DirectAnswer | undefined
  readonly #running = new Map<Id, AbortController>()
  #unsent: { line: string; done: (error?: Error | null) => void }[] = []
  #greeting: Id | undefined
  #greeted = false

  constructor(input: Readable, output: Writable, answer?: DirectAnswer) {
    this.#input = input
    this.#output = output
    this.#answer = answer
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#read)
  }

  /** Resolves when every request that was received has been answered. */
  answered(): Promise<void> {
    if (this.#open.size === 0 || this.#closed) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return
    if ('result' in message && message.id === this.#greeting) this.#greeted = true
    await new Promise<void>((resolve, reject) => {
      this.#write(JSON.stringify(message), (error) => (error ? reject(error) : resolve()))
    })
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#input.off('data', this.#read)
    this.#input.pause()
    for (const controller of this.#running.values()) controller.abort()
    this.#release()
    this.#resolveClosed()
    this.onclose?.()
  }

  readonly #read = (chunk: Buffer | string): void => {
    let rest = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const line = Buffer.concat([...this.#chunks, rest.subarray(0, end)]).toString('utf8')
      this.#chunks = []
      this.#held = 0
      rest = rest.subarray(end + 1)
      this.#take(line)
    }
    if (rest.length === 0) return
    this.#chunks.push(rest)
    this.#held += rest.length
    if (this.#held > LINE_BYTES) {
      this.onerror?.(new Error('a line of more than 10 MiB came in; the connection is given up'))
      void this.close()
    }
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
    try {
      if (this.#takeDirectly(parsed)) return
      const message = parseJSONRPCMessage(parsed)
      if ('method' in message && 'id' in message && message.method === 'initialize') this.#greeting = message.id
      if ('method' in message && 'id' in message) this.#open.add(message.id)
      if ('method' in message && message.method === 'notifications/cancelled') {
        const { requestId } = (message.params ?? {}) as { requestId?: Id }
        if (requestId !== undefined && this.#running.has(requestId)) this.#running.get(requestId)?.abort()
        else if (requestId !== undefined) this.#settle(requestId)
      }
      this.onmessage?.(message)
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)))
      this.#refuse(idOf(parsed), -32600, 'This is not one JSON-RPC 2.0 message.')
    }
  }

  #takeDirectly(parsed: unknown): boolean {
    if (!this.#greeted || this.#answer === undefined) return false
    const controller = new AbortController()
    const direct = this.#answer(parsed, controller.signal)
    if (direct === undefined) return false
    const { id, answer } = direct
    this.#open.add(id)
    this.#running.set(id, controller)
    const settle = () => {
      this.#running.delete(id)
      this.#settle(id)
    }
    void answer.then((message) => {
      if (controller.signal.aborted || this.#closed) settle()
      else this.#write(JSON.stringify(message), settle)
    })
    return true
  }

  /** Lines of one turn go out together: a call of the system for each would cost more than most answers. */
  #write(line: string, done: (error?: Error | null) => void = () => {}): void {
    this.#unsent.push({ line, done })
    if (this.#unsent.length > 1) return
    setImmediate(() => {
      const sent = this.#unsent
      this.#unsent = []
      this.#output.write(`${sent.map((each) => each.line).join('\n')}\n`, (error) => {
        for (const each of sent) each.done(error)
      })
    })
  }

  #refuse(id: Id | null, code: number, message: string): void {
    this.#write(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }))
  }

  #settle(id: Id): void {
    this.#open.delete(id)
    if (this.#open.size === 0) this.#release()
  }

  #release(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}

function idOf(message: unknown): Id | null {
  if (typeof message !== 'object' || message === null || !('id' in message)) return null
  return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : null
}

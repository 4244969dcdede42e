import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { RequestRecord, SampleReply } from '../../src/sample/exchange.ts'
import { type Exchange, encodeBody } from '../../src/sample/listener.ts'

/** How a matched request fails. */
export type FaultResponse =
  /** The connection is dropped before any byte is sent. */
  | 'reset'
  /** Half of the reply with the full content length, then the connection is dropped. */
  | 'truncate'
  /** Half of the reply, then no more data on an open connection. */
  | 'stall'
  /** No data on an open connection. */
  | 'hang'
  /** The whole reply, a few bytes at a time. */
  | 'slow'
  /** 200 with a sign-in page in place of the reply. */
  | 'html'
  /** 200 with half of the JSON as if it were complete. */
  | 'cut'
  /** 200 without a body. */
  | 'empty'
  /** As if the request had no credentials: the platform replies 200 to anonymous requests. */
  | 'anonymous'
  /** 200 with a short gzip body that inflates to 200 MB. */
  | 'gzip_bomb'
  /** 200 with an endless JSON text. */
  | 'endless'
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | { delayMs: number }
  /** The actual reply, modified. Receives a copy of the reply, whose body is not yet encoded. */
  | { rewrite: (reply: SampleReply, request: RequestRecord) => SampleReply }

export interface SampleFault {
  match: (request: RequestRecord) => boolean
  /** Number of requests that fail; default: all. Counted down with each one. */
  times?: number
  /** Number of matching requests that succeed first. Counted down with each one. */
  after?: number
  respond: FaultResponse
}

const signInPage =
  '<!DOCTYPE html><html><head><title>Log in</title></head><body><form action="/login"><input name="username"/></form></body></html>'

/** The first fault that matches and is not used up. */
export function takeFault(faults: SampleFault[], request: RequestRecord): FaultResponse | undefined {
  for (const fault of faults) {
    if (fault.times === 0 || !fault.match(request)) continue
    if (fault.after !== undefined && fault.after > 0) {
      fault.after--
      continue
    }
    if (fault.times !== undefined) fault.times--
    return fault.respond
  }
  return undefined
}

/** Matches requests by path pattern and optional method, on any server of the tenant. */
export function onPath(pattern: RegExp, method?: string): SampleFault['match'] {
  return (request) => pattern.test(request.path) && (method === undefined || request.method === method)
}

const half = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2))

const BOMB_BYTES = 200_000_000
/** Of several parts one after the other, of which one is compressed once. */
const BOMB_PARTS = 100
let bomb: Buffer | undefined
const DRIP_BYTES = 16
const DRIP_MS = 20

async function drip({ request, response }: Exchange, reply: SampleReply): Promise<void> {
  const { bytes, type = 'application/json' } = encodeBody(reply)
  request.status = reply.status
  response.writeHead(reply.status, { 'content-type': type, 'content-length': String(bytes.length), ...reply.headers })
  for (let at = 0; at < bytes.length && !response.destroyed; at += DRIP_BYTES) {
    response.write(bytes.subarray(at, at + DRIP_BYTES))
    await sleep(DRIP_MS)
  }
  response.end()
}

function* endlessly(): Generator<Buffer> {
  yield Buffer.from('{"results":[')
  for (;;) yield Buffer.alloc(65_536, ' ')
}

async function pour({ request, response }: Exchange): Promise<void> {
  request.status = 200
  response.writeHead(200, { 'content-type': 'application/json' })
  await pipeline(Readable.from(endlessly()), response).catch(() => {})
}

/** Sends half of a reply with the headers of all of it. */
function sendHalf({ request, response }: Exchange, reply: SampleReply): void {
  const { bytes, type = 'application/json' } = encodeBody(reply)
  request.status = reply.status
  response.writeHead(reply.status, { 'content-type': type, 'content-length': String(bytes.length), ...reply.headers })
  response.write(half(bytes))
}

/** Sends the handler's reply, or applies the fault. */
export async function deliver(exchange: Exchange, fault: FaultResponse | undefined): Promise<void> {
  const { response, handle, request, send } = exchange
  if (fault === 'anonymous') request.anonymous = true
  if (fault === undefined || fault === 'anonymous') return send(await handle())
  if (typeof fault === 'object') {
    if ('status' in fault) return send(fault)
    if ('delayMs' in fault) {
      await sleep(fault.delayMs)
      return send(await handle())
    }
    return send(fault.rewrite(structuredClone(await handle()), request))
  }
  switch (fault) {
    case 'reset':
      response.destroy()
      return
    case 'hang':
      return
    case 'truncate':
      sendHalf(exchange, await handle())
      setTimeout(() => response.destroy(), 20)
      return
    case 'stall':
      return sendHalf(exchange, await handle())
    case 'slow':
      return drip(exchange, await handle())
    case 'html':
      return send({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: signInPage })
    case 'cut': {
      const { bytes } = encodeBody(await handle())
      return send({ status: 200, headers: { 'content-type': 'application/json' }, body: half(bytes) })
    }
    case 'empty':
      return send({ status: 200 })
    case 'gzip_bomb': {
      bomb ??= Buffer.concat(Array(BOMB_PARTS).fill(gzipSync(Buffer.alloc(BOMB_BYTES / BOMB_PARTS, ' '))))
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
      return send({ status: 200, headers, body: bomb })
    }
    case 'endless':
      return pour(exchange)
  }
}

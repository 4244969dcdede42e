import type { IncomingHttpHeaders } from 'node:http'

/** One request as a sample server saw it, credentials included: tests look at who was sent what. */
export interface RequestRecord {
  /** Which of a tenant's servers was asked: `site`, `media`, `api`, `authority`, `web`. */
  server: string
  method: string
  /** Path and query as sent. */
  url: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: string
  /** Status of the reply; 0 while there is none, or where the connection was dropped. */
  status: number
}

export interface SampleRequest extends RequestRecord {
  /** Answer as to a stranger, whatever credentials came along. */
  anonymous: boolean
}

export interface SampleReply {
  status: number
  headers?: Record<string, string>
  /** Text and bytes are sent as they are, everything else as JSON; undefined: no body. */
  body?: unknown
}

export type Handler = (request: SampleRequest) => SampleReply | Promise<SampleReply>

import type { IncomingHttpHeaders } from 'node:http'

/** A request as received by a sample server. */
export interface RequestRecord {
  /** Which of the tenant's servers received it: `site`, `media`, `api`, `authority`, `web`. */
  server: string
  method: string
  /** Path and query as sent. */
  url: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: string
  /** Status of the reply; 0 before the reply, or where the connection was dropped. */
  status: number
}

export interface SampleRequest extends RequestRecord {
  /** Treat the request as anonymous, regardless of its credentials. */
  anonymous: boolean
}

export interface SampleReply {
  status: number
  headers?: Record<string, string>
  /** Strings and bytes are sent as they are, other values as JSON; undefined: no body. */
  body?: unknown
}

export type Handler = (request: SampleRequest) => SampleReply | Promise<SampleReply>

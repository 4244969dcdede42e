import { onPath, type SampleFault } from '../../sample/fault.ts'
import { pageOf } from './support.ts'

export const listing = onPath(/\/spaces\/\d+\/pages$/)
export const manyPages = (count: number, first = 1000) =>
  Array.from({ length: count }, (_, index) => pageOf(String(first + index)))
export const pageKeys = (keys: Iterable<string>) =>
  [...keys].filter((key) => key.includes(':page:')).map((key) => key.split(':').at(-1))

interface ListBody {
  results: Record<string, unknown>[]
  _links: { next?: string; base?: string }
}

/** Changes the body of list replies. */
export const rewrite = (
  match: SampleFault['match'],
  change: (body: ListBody) => void,
  times?: number,
  after?: number,
): SampleFault => ({
  match,
  ...(times === undefined ? {} : { times }),
  ...(after === undefined ? {} : { after }),
  respond: {
    rewrite: (reply) => {
      const body = reply.body as ListBody
      change(body)
      const { link: _, ...headers } = reply.headers ?? {}
      return { ...reply, headers, body }
    },
  },
})

import { z } from 'zod'

const host = z
  .string()
  .trim()
  .min(1)
  .max(253)
  .regex(/^[^\s/?#@\\]+$/, 'must be a host name or an address, without scheme, path or port.')
  .refine((value) => {
    const literal = value.includes(':') && !value.startsWith('[') ? `[${value}]` : value
    return URL.parse(`http://${literal}/`)?.port === ''
  }, 'must be a host name or an address, without a port.')

/** Settings of `BROKEN_LINKS`. */
export const BrokenLinksConfig = z.strictObject({
  allowHosts: z
    .array(host)
    .max(200)
    .default([])
    .describe('Host names or addresses, as written in links, that are checked although they are not public.'),
  checkExternal: z
    .boolean()
    .default(true)
    .describe('Whether links to other sites are checked; false: only hosts in allowHosts.'),
  checkAnchors: z.boolean().default(true).describe('Whether anchors of pages inside the platform are checked.'),
})

export type BrokenLinksConfig = z.infer<typeof BrokenLinksConfig>

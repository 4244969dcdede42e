import { getRequestListener } from '@hono/node-server'

/**
 * The Response that the server writes in one piece, without a web stream in between. The package offers it only as the
 * global one, which is restored at once.
 */
export const LightResponse: typeof Response = takeLightResponse()

function takeLightResponse(): typeof Response {
  const names = ['Request', 'Response'] as const
  const own = names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const)
  getRequestListener(() => Response.error())
  const light = Response
  for (const [name, descriptor] of own)
    if (descriptor !== undefined) Object.defineProperty(globalThis, name, descriptor)
  return light
}

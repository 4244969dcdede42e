import { createHmac } from 'node:crypto'
import { toFormatted } from '../query/answer/format.ts'
import type { WatchCondition } from './model.ts'
import type { ReceiverSecrets } from './receivers.ts'
import type { WatchStateChange } from './view.ts'

const SIGNATURE_HEADER = 'x-assay-signature'

/** `sha256=<HMAC-SHA256 of the body>`, in lower-case hex. */
export const signBody = (secret: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/** The message about a change in the format `json`. */
export function toJsonMessage(
  change: WatchStateChange,
  { secret }: ReceiverSecrets,
  publicUrl: string | undefined,
): { body: string; headers: Record<string, string> } {
  const url = publicUrl === undefined ? {} : { url: `${publicUrl.replace(/\/$/, '')}/semantic/watches/${change.watch}` }
  const body = JSON.stringify({ ...change, ...url })
  const signed = secret === undefined ? {} : { [SIGNATURE_HEADER]: signBody(secret, body) }
  return { body, headers: { 'content-type': 'application/json', ...signed } }
}

/** The message about a change in the format of incoming webhooks of Slack. */
export function toSlackMessage(change: WatchStateChange): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify({ text: escapeSlack(describeChange(change)) })
  return { body, headers: { 'content-type': 'application/json' } }
}

/** A change in one line, such as `FIRING: Open criticals is 12 (above 10)`. */
export function describeChange({ displayName, state, value, condition, group, reason }: WatchStateChange): string {
  const groups = Object.values(group ?? {})
  const what = groups.length === 0 ? displayName : `${displayName}, ${groups.join(' / ')}`
  if (state === 'UNKNOWN') return `UNKNOWN: ${what}${reason === undefined ? '' : ` (${reason})`}`
  const amount = toAmount(value, condition)
  const threshold = `${condition.kind === 'changeAbove' ? 'change above' : condition.kind} ${toAmount(condition.value, condition)}`
  return `${state}: ${what} is ${amount} (${threshold})`
}

/** Slack takes these three for markup; escaped, a text can neither link nor mention anyone. */
const escapeSlack = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** A value of a watch for display; a change is a percentage. */
export const toAmount = (value: number | null, { kind }: WatchCondition): string =>
  toFormatted(value, kind === 'changeAbove' ? 'percentage' : 'number', '')

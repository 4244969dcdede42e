import { randomUUID } from 'node:crypto'
import type { WebhookSender } from '../connectors/webhooks.ts'
import { toSafeText } from '../detectors/safe-text.ts'
import { type Issue, invalidInput } from '../kernel/errors.ts'
import { MASK, rememberSecret } from '../kernel/redaction.ts'
import type { SafeText } from '../kernel/safe-text.ts'
import type { Vault } from '../store/keys/vault.ts'
import type { ReceiverInput, ReceiverRecord } from './model.ts'
import type { NewReceiver } from './watches.store.ts'

/** What is needed to set receivers. */
export interface ReceiverTools {
  vault: Vault
  sender: Pick<WebhookSender, 'findProblem'>
}

/** The sealed part of a receiver. */
export interface ReceiverSecrets {
  url: string
  secret?: string
}

const placeOf = (watchUid: string, receiverUid: string) => `watch/${watchUid}/${receiverUid}`

const MAX_URL = 2000

/** An address as it is shown: credentials in it, such as the tokens in Slack addresses, are masked. */
export const toShownAddress = (url: string): SafeText => toSafeText(url, 'definition', MAX_URL)

/** @throws AppError `unavailable` when the key is lost or is another one */
export function openReceiver(vault: Vault, watchUid: string, { uid, sealed }: ReceiverRecord): ReceiverSecrets {
  const opened = JSON.parse(vault.open(placeOf(watchUid, uid), sealed)) as ReceiverSecrets
  if (opened.secret !== undefined) rememberSecret(opened.secret)
  return opened
}

/**
 * The receivers to store for an input. A receiver whose address is already stored, or is given in its masked form,
 * keeps the members that the input omits.
 * @throws AppError `invalid_input` with every problem and its path; reason `secret_required` for a masked secret or
 * address that is not stored
 */
export function mergeReceivers(
  tools: ReceiverTools,
  watchUid: string,
  stored: readonly ReceiverRecord[],
  given: readonly ReceiverInput[],
): NewReceiver[] {
  const issues: Issue[] = []
  const masked: Issue[] = []
  const merged = given.map((input, index): NewReceiver | undefined => {
    const at = (member: string) => `deliver[${index}].${member}`
    const { url, format, secret } = input
    const known = stored.find((each) => each.address === toShownAddress(url))
    if (given.findIndex((other) => toShownAddress(other.url) === toShownAddress(url)) < index) {
      issues.push({ path: at('url'), message: 'is named twice; keep one of them.' })
      return undefined
    }
    if (known === undefined && url.includes(MASK)) {
      masked.push({ path: at('url'), message: 'is masked and not stored here; enter the whole address.' })
      return undefined
    }
    if (known === undefined && secret === MASK) {
      masked.push({ path: at('secret'), message: 'is masked and not stored for this address; enter it.' })
    }
    if (format === 'slack' && secret !== undefined && secret !== MASK) {
      issues.push({ path: at('secret'), message: 'is for the format json; leave it out.' })
    }
    if (known !== undefined && isKept(known, input)) return { ...known, format }
    const opened = known === undefined ? undefined : openReceiver(tools.vault, watchUid, known)
    const address = opened === undefined || !url.includes(MASK) ? url : opened.url
    const problem = tools.sender.findProblem(address)
    if (problem !== undefined) issues.push({ path: at('url'), message: problem })
    const key = format === 'slack' ? undefined : secret === undefined || secret === MASK ? opened?.secret : secret
    return seal(
      tools.vault,
      watchUid,
      { url: address, ...(key === undefined ? {} : { secret: key }) },
      known?.uid,
      format,
    )
  })
  const all = [...masked, ...issues]
  const [first] = all
  if (first !== undefined) {
    throw invalidInput(`The receivers are not valid: ${first.path} ${first.message}`, {
      ...(masked.length > 0 ? { reason: 'secret_required' } : { reason: 'invalid_receiver' }),
      issues: all,
    })
  }
  return merged.filter((receiver) => receiver !== undefined)
}

/** Whether a receiver is unchanged; its address is then accepted even if the settings no longer allow it. */
const isKept = (known: ReceiverRecord, { format, secret, url }: ReceiverInput): boolean =>
  known.format === format && (secret === undefined || secret === MASK) && (url.includes(MASK) || url === known.address)

function seal(
  vault: Vault,
  watchUid: string,
  secrets: ReceiverSecrets,
  uid: string = randomUUID(),
  format: ReceiverRecord['format'],
): NewReceiver {
  const sealed = vault.seal(placeOf(watchUid, uid), JSON.stringify(secrets))
  const address = toShownAddress(secrets.url)
  return { uid, format, address, sealed, hasSecret: secrets.secret !== undefined }
}

/** Whether an input leaves the stored receivers unchanged. */
export function keepsReceivers(stored: readonly ReceiverRecord[], given: readonly ReceiverInput[]): boolean {
  return (
    stored.length === given.length &&
    given.every((input, index) => {
      const known = stored[index]
      return known !== undefined && known.address === toShownAddress(input.url) && isKept(known, input)
    })
  )
}

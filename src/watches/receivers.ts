import { randomUUID } from 'node:crypto'
import type { WebhookSender } from '../connectors/webhooks.ts'
import { toSafeText } from '../detectors/safe-text.ts'
import { type Issue, invalidInput } from '../kernel/errors.ts'
import { MASK, maskPath, rememberSecret } from '../kernel/redaction.ts'
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

/** An address as it is shown: whoever knows its path can send messages to the receiver. */
export const toShownAddress = (address: string): SafeText => toSafeText(maskPath(address), 'definition')

const isShownForm = ({ url }: ReceiverInput) => url.includes(MASK)

const isSameAddress = (a: string, b: string) =>
  URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href

/** @throws AppError `unavailable` when the key is lost or is another one */
export function openReceiver(vault: Vault, watchUid: string, { uid, sealed }: ReceiverRecord): ReceiverSecrets {
  const opened = JSON.parse(vault.open(placeOf(watchUid, uid), sealed)) as ReceiverSecrets
  if (opened.secret !== undefined) rememberSecret(opened.secret)
  return opened
}

/**
 * The stored receiver that each input names: by its whole address, or by the form that is shown, which several of one
 * host share; of these it is the first that is left, preferably one of the same format.
 */
export function matchReceivers(
  vault: Vault,
  watchUid: string,
  stored: readonly ReceiverRecord[],
  given: readonly ReceiverInput[],
): (ReceiverRecord | undefined)[] {
  const free = new Set(stored)
  const take = (accepts: (known: ReceiverRecord) => boolean): ReceiverRecord | undefined => {
    const found = [...free].find(accepts)
    if (found !== undefined) free.delete(found)
    return found
  }
  const byAddress = given.map((input) => {
    if (isShownForm(input)) return undefined
    const shown = toShownAddress(input.url)
    return take(
      (known) => known.address === shown && isSameAddress(openReceiver(vault, watchUid, known).url, input.url),
    )
  })
  return given.map((input, index) => {
    if (!isShownForm(input)) return byAddress[index]
    const shown = toShownAddress(input.url)
    return (
      take(({ address, format }) => address === shown && format === input.format) ??
      take(({ address }) => address === shown)
    )
  })
}

/**
 * The receivers to store for an input. A receiver whose address is already stored, or is given in the form that is
 * shown, keeps the members that the input omits.
 * @throws AppError `invalid_input` with every problem and its path; reason `secret_required` for a masked secret or
 * address that is not stored, or that may mean several
 */
export function mergeReceivers(
  tools: ReceiverTools,
  watchUid: string,
  stored: readonly ReceiverRecord[],
  given: readonly ReceiverInput[],
): NewReceiver[] {
  const issues: Issue[] = []
  const masked: Issue[] = []
  const matched = matchReceivers(tools.vault, watchUid, stored, given)
  const left = stored.filter((known) => !matched.includes(known))
  const merged = given.map((input, index): NewReceiver | undefined => {
    const at = (member: string) => `deliver[${index}].${member}`
    const { url, format, secret } = input
    const known = matched[index]
    const isMasked = isShownForm(input)
    if (!isMasked && given.slice(0, index).some((other) => isSameAddress(other.url, url))) {
      issues.push({ path: at('url'), message: 'is named twice; keep one of them.' })
      return undefined
    }
    if (isMasked && known === undefined) {
      masked.push({ path: at('url'), message: 'is masked and not stored here; enter the whole address.' })
      return undefined
    }
    if (isMasked && left.some(({ address }) => address === known?.address)) {
      const message = 'may mean several stored addresses of this host; enter the whole addresses of those to keep.'
      masked.push({ path: at('url'), message })
      return undefined
    }
    if (known === undefined && secret === MASK) {
      masked.push({ path: at('secret'), message: 'is masked and not stored for this address; enter it.' })
    }
    if (format === 'slack' && secret !== undefined && secret !== MASK) {
      issues.push({ path: at('secret'), message: 'is for the format json; leave it out.' })
    }
    if (known !== undefined && isKept(known, input)) return known
    const opened = known === undefined ? undefined : openReceiver(tools.vault, watchUid, known)
    const address = opened?.url ?? url
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
const isKept = (known: ReceiverRecord, { format, secret }: ReceiverInput): boolean =>
  known.format === format && (secret === undefined || secret === MASK)

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

/** Whether an input repeats the stored receivers as they are shown. */
export function keepsReceivers(stored: readonly ReceiverRecord[], given: readonly ReceiverInput[]): boolean {
  return (
    stored.length === given.length &&
    given.every((input, index) => {
      const known = stored[index]
      return isShownForm(input) && known?.address === toShownAddress(input.url) && isKept(known, input)
    })
  )
}

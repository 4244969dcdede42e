import { hideInAsset, type SafeAsset } from '../connectors/safe-session.ts'
import type { AssetRecord } from '../findings/assets.store.ts'
import { isMaskOf } from '../kernel/redaction.ts'
import type { SafeText } from '../kernel/safe-text.ts'

/** Links to the asset that an asset is a part of. */
const partLinks: ReadonlySet<string> = new Set(['attached_to', 'comments_on'])

/**
 * Masks in the assets of a scan what was reported in them and in the assets that they are parts of. Names are repeated
 * by other assets as their own or as that of their container, so one that was masked is masked in all of them.
 */
export class AssetMasking {
  readonly #names = new Map<string, SafeText>()
  /** Reported values by the key of the asset. */
  #values = new Map<string, readonly string[]>()

  /** A page is in the same batch as its parts. */
  startBatch(): void {
    this.#values = new Map()
  }

  /** @param reported what the detectors reported; `isAll`: otherwise a name that is stored masked stays masked */
  hide(
    draft: SafeAsset,
    reported: { values: readonly string[]; isAll: boolean },
    before: AssetRecord | undefined,
  ): SafeAsset {
    const wholes = draft.links.flatMap(({ type, targetKey }) => (partLinks.has(type) ? [targetKey] : []))
    const values = [draft.key, draft.partOf, ...wholes].flatMap((key) => this.#values.get(key ?? '') ?? [])
    values.push(...reported.values, ...draft.values)
    const hidden = hideInAsset(draft, values)
    if (values.length > 0) this.#remember(draft, values)
    const isStored = !reported.isAll && before !== undefined && isMaskOf(before.name, hidden.name)
    const name = isStored ? (before.name as SafeText) : (this.#names.get(draft.name) ?? hidden.name)
    if (name !== draft.name) this.#names.set(draft.name, name)
    const nameOf = (text: SafeText) => this.#names.get(text) ?? text
    const { container, dataset, parentContainer, facts } = hidden
    if (this.#names.size === 0) return hidden
    return {
      ...hidden,
      name,
      url:
        isStored && name !== hidden.name && hidden.url.startsWith(before.url) ? (before.url as SafeText) : hidden.url,
      ...(container === undefined ? {} : { container: nameOf(container) }),
      ...(dataset === undefined ? {} : { dataset: nameOf(dataset) }),
      ...(parentContainer === undefined ? {} : { parentContainer: nameOf(parentContainer) }),
      ...(facts === undefined ? {} : { facts: withName(facts, draft.name, name) }),
    }
  }

  #remember({ key, links }: SafeAsset, values: readonly string[]): void {
    this.#values.set(key, values)
    // Files that it links to are listed as assets of their own.
    for (const { type, targetKey } of links) if (type === 'links_to' && targetKey) this.#values.set(targetKey, values)
  }
}

const withName = (facts: Record<string, unknown>, from: SafeText, to: SafeText) =>
  from === to ? facts : Object.fromEntries(Object.entries(facts).map(([key, fact]) => [key, fact === from ? to : fact]))

import { z } from 'zod'

/** What surrounds a text of an answer: the member or key that holds it, and the objects around it, the nearest first. */
export interface MemberContext {
  member: string
  around: readonly Readonly<Record<string, unknown>>[]
}

/** `own` is ours or an operator's, `code` may be a word that an import brought, `withheld` anybody's. */
export type Origin = 'own' | 'code' | 'withheld'

/** How much of a text lockdown shows: by its origin, or by what a function makes of it. */
export type Disclosure =
  | Origin
  | ((text: string, place: MemberContext, show: (text: string, origin: Origin) => string) => string)

/** What lockdown may show of the texts of an answer. A text without a declaration is withheld. */
export const disclosures = z.registry<{ shows: Disclosure }>()

/** A text with a declaration of what lockdown shows of it. */
export const disclosedText = (shows: Disclosure) => z.string().register(disclosures, { shows })

/** A text that we or an operator wrote: an id, a time, a name of what was defined here. */
export const ownText = () => disclosedText('own')

/** A word such as a finding type, which is shown as it is only where it is one of ours. */
export const codeText = () => disclosedText('code')

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const ownKey = new RegExp(
  `^(?:wiki:${UUID}:(?:(?:space|page|comments):\\d{1,20}|attachment:(?:att)?\\d{1,20}|link:[0-9a-f]{64})|` +
    `bi:${UUID}:(?:workspace|dataset|report|dashboard|dataflow):${UUID})$`,
)

/** The key of an asset, which is shown where it holds nothing but ids. */
export const keyText = () => disclosedText((key, _place, show) => show(key, ownKey.test(key) ? 'own' : 'withheld'))

/** Codes of warnings whose sentences quote nobody. */
const plainWarnings: ReadonlySet<unknown> = new Set([
  ...['draft', 'deprecated', 'drifted', 'not_scanned', 'truncated', 'clock_moved'],
])

/** The sentence of a warning, beside its `code`. */
export const warningText = () =>
  disclosedText((message, { around: [warning] }, show) =>
    show(message, plainWarnings.has(warning?.code) ? 'own' : 'withheld'),
  )

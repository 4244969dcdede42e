import { z } from 'zod'

/** The context of a text in an answer: the member or key that holds it, and the enclosing objects, innermost first. */
export interface MemberContext {
  member: string
  around: readonly Readonly<Record<string, unknown>>[]
}

/** `own`: from this program or an operator; `code`: possibly a word from an import; `withheld`: from anyone. */
export type Origin = 'own' | 'code' | 'withheld'

/** How much of a text lockdown shows: by its origin, or as a function decides. */
export type Disclosure =
  | Origin
  | ((text: string, place: MemberContext, show: (text: string, origin: Origin) => string) => string)

/** What lockdown may show of the texts in an answer. A text without a declaration is withheld. */
export const disclosures = z.registry<{ shows: Disclosure }>()

/** A text that declares what lockdown shows of it. */
export const disclosedText = (shows: Disclosure) => z.string().register(disclosures, { shows })

/** A text from this program or an operator: an id, a time, a name of something defined here. */
export const ownText = () => disclosedText('own')

/** A word such as a finding type, shown unchanged only when it is built in or defined here. */
export const codeText = () => disclosedText('code')

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const ownKey = new RegExp(
  `^(?:wiki:${UUID}:(?:(?:space|page|comments):\\d{1,20}|attachment:(?:att)?\\d{1,20}|link:[0-9a-f]{64})|` +
    `bi:${UUID}:(?:workspace|dataset|report|dashboard|dataflow):${UUID})$`,
)

/** The key of an asset, shown when it consists only of ids. */
export const keyText = () => disclosedText((key, _place, show) => show(key, ownKey.test(key) ? 'own' : 'withheld'))

/** Codes of warnings whose messages quote no text from others. */
const plainWarnings: ReadonlySet<unknown> = new Set([
  ...['draft', 'deprecated', 'drifted', 'not_scanned', 'truncated', 'clock_moved'],
])

/** The message of a warning, shown depending on the `code` beside it. */
export const warningText = () =>
  disclosedText((message, { around: [warning] }, show) =>
    show(message, plainWarnings.has(warning?.code) ? 'own' : 'withheld'),
  )

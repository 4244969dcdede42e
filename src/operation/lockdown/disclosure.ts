import { z } from 'zod'
import type { SafeText, SafeValue } from '../../kernel/safe-text.ts'

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
const disclosedText = (shows: Disclosure) => z.string().register(disclosures, { shows })

/** A text that people type into definitions and filters: in inputs, and in answers that repeat them. */
export const definitionText = (shows: Origin) => disclosedText(shows)

/** A text in an answer whose type accepts only text that was sanitized. */
export const safeText = (shows: Disclosure): z.ZodType<SafeText> =>
  // The brand exists for the compiler only; at run time the schema checks for a string.
  disclosedText(shows) as unknown as z.ZodType<SafeText>

/** A text from a tenant or an imported file: a title, an address, an excerpt, a message that quotes one. */
export const outsideText = () => safeText('withheld')

/** A value of any shape from a tenant. */
export const outsideValue = (): z.ZodType<SafeValue> =>
  z.unknown().register(disclosures, { shows: 'withheld' }) as unknown as z.ZodType<SafeValue>

/** A value that repeats what the caller gave. */
export const ownValue = () => z.unknown().register(disclosures, { shows: 'own' })

/** A text from this program or an operator: an id, a time, a name of something defined here. */
export const ownText = () => disclosedText('own')

/** A word such as a finding type, shown unchanged only when it is built in or defined here. */
export const codeText = () => safeText('code')

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const ownKey = new RegExp(
  `^(?:wiki:${UUID}:(?:(?:space|page|comments):\\d{1,20}|attachment:(?:att)?\\d{1,20}|link:[0-9a-f]{64})|` +
    `bi:${UUID}:(?:workspace|dataset|report|dashboard|dataflow):${UUID})$`,
)

/** The key of an asset, shown when it consists only of ids. */
export const keyText = () => safeText((key, _place, show) => show(key, ownKey.test(key) ? 'own' : 'withheld'))

/** Codes of warnings whose messages quote no text from others. */
const plainWarnings: ReadonlySet<unknown> = new Set([
  ...[
    'draft',
    'deprecated',
    'drifted',
    'failing',
    'not_scanned',
    'truncated',
    'clock_moved',
    'length_differs',
    'presence',
  ],
  ...['not_read', 'future_range', 'undecided', 'short_trend', 'no_value_id'],
])

/** The message of a warning, shown depending on the `code` beside it. */
export const warningText = () =>
  safeText((message, { around: [warning] }, show) =>
    show(message, plainWarnings.has(warning?.code) ? 'own' : 'withheld'),
  )

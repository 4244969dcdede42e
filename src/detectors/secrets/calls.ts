import { toChosen } from './chosen.ts'
import type { Found } from './found.ts'
import { configuredConfidence, isPlaceholder, isTechnical, passwordConfidence } from './guards.ts'

/** Statements and calls with a password at a fixed position; each starts with one of its literals. */
const forms: readonly (readonly [literals: string, pattern: RegExp, isBare?: boolean])[] = [
  [
    'identified',
    /^identified\s{1,4}(?:with\s{1,4}[\w"'`]{2,60}\s{1,4})?(?:by|as)\s{1,4}(?:password\s{1,4}|values\s{1,4})?(["'])([^"'\n]{4,128})\1/i,
  ],
  ['identified', /^identified\s{1,4}by\s{1,4}()([A-Za-z][\w$#]{4,40})(?=[\s;]|$)/i, true],
  ['password', /^password(?:\s{0,4}=\s{0,4}(?=N)|\s{0,3}\(\s{0,2}|\s{1,4})N?(['"])([^'"\n]{4,128})\1/i],
  ['sp_addlogin', /^sp_addlogin\s{1,4}N?['"][^'"\n]{1,64}['"]\s{0,4},\s{0,4}N?(['"])([^'"\n]{4,128})\1/i],
  [
    'convertto-securestring',
    /^convertto-securestring\s{1,4}(?:-(?:string|asplaintext|force)\s{1,4}){0,3}(["'])([^"'\n$]{4,128})\1/i,
  ],
  [
    'networkcredential(',
    /^networkcredential\(\s{0,4}@?["'][^"'\n]{1,80}["']\s{0,4},\s{0,4}@?(["'])([^"'\n]{4,128})\1/i,
  ],
  ['pscredential(', /^pscredential\(\s{0,4}["'][^"'\n]{1,80}["']\s{0,4},\s{0,4}(["'])([^"'\n]{4,128})\1/i],
  ['.auth(', /^\.auth\(\s{0,4}["'][^"'\n]{1,80}["']\s{0,4},\s{0,4}(["'])([^"'\n]{4,128})\1/i],
  [
    'usernamepasswordcredentials(',
    /^usernamepasswordcredentials\(\s{0,4}["'][^"'\n]{1,80}["']\s{0,4},\s{0,4}(["'])([^"'\n]{4,128})\1/i,
  ],
  ['httpbasicauth(', /^httpbasicauth\(\s{0,4}["'][^"'\n]{1,80}["']\s{0,4},\s{0,4}(["'])([^"'\n]{4,128})\1/i],
  [
    'getconnection(',
    /^getconnection\(\s{0,4}["'][^"'\n]{1,300}["']\s{0,4},\s{0,4}["'][^"'\n]{1,80}["']\s{0,4},\s{0,4}(["'])([^"'\n]{4,128})\1/i,
  ],
  ['.login(', /^\.login\(\s{0,4}["'][^"'\n]{1,80}["']\s{0,4},\s{0,4}(["'])([^"'\n]{4,128})\1/i],
  ['setx ', /^setx\s{1,4}\w{0,40}(?:password|passwd|pwd|_pass)\s{1,4}(["']?)([^\s"'%]{5,128})\1/i],
]

/** `IDENTIFIED BY` belongs to one of these; in a sentence, people identify problems. */
const statement = /\b(?:user|grant|alter|create|role|database|link|connect)\b|\bto\s{1,4}[^\s,;]{1,80}\s{1,4}$/i

/** The end of a statement, a sentence, a paragraph or an item. */
const statementEnd = /;|\.\s|\n[ \t]{0,12}(?:\n|[*-] )/

const isInStatement = (text: string, at: number) =>
  statement.test(
    text
      .slice(Math.max(0, at - 200), at)
      .split(statementEnd)
      .at(-1) ?? '',
  )

export const callLiterals: readonly string[] = [...new Set(forms.map(([literals]) => literals))]

/** The password in a statement such as `IDENTIFIED BY '…'` or a call such as `NetworkCredential("bob", "…")`. */
export function* findCallPassword(text: string, at: number): Generator<Found> {
  const window = text.slice(at, at + 600)
  const lower = window.slice(0, 40).toLowerCase()
  for (const [literal, pattern, isBare = false] of forms) {
    const found = lower.startsWith(literal) ? pattern.exec(window) : null
    if (found === null || (literal === 'identified' && !isInStatement(text, at))) continue
    const [whole, , secret = ''] = found
    const confidence = confidenceOf(secret, isBare)
    if (confidence === 0) continue
    const start = at + whole.lastIndexOf(secret)
    yield toChosen('PASSWORD', start, secret, 'command', confidence)
    return
  }
}

function confidenceOf(secret: string, isBare: boolean): number {
  if (isBare && isTechnical(secret)) return 0
  return (
    passwordConfidence(secret, true, false) ||
    (isBare || isPlaceholder(secret) || /^[:@&]/.test(secret) ? 0 : configuredConfidence(secret))
  )
}

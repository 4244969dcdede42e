/** Why a finding was reported, by the rule of its detector, or by the detector. */
const reasons: Readonly<Record<string, string>> = {
  sign: 'It follows a word for a password and a sign.',
  verb: 'A sentence says that it is a password.',
  beside: 'It is directly behind a word for a password.',
  before: 'A sentence says to use it as a password.',
  answer: 'It answers a question about a password.',
  column: 'It is in a table, and the heading of its column or row names a password.',
  wifi: 'It is the key of a wireless network that the text names.',
  snmp: 'It is the community of a device that is managed by SNMP.',
  question: 'It answers a security question.',
  pair: 'It is behind the name of a login.',
  login: 'A sentence says to log in with it.',
  opened: 'The text says that a protected file was opened with it.',
  code: 'It is a number, and the words before it name a code, a PIN, or what it opens.',
  command: 'It is the argument of a command or call that takes a password there.',
  label: 'The name beside it, such as that of a setting, is one of secrets.',
  format: 'It has the documented format of this kind of credential.',
  form: 'It is in a form that contains credentials, such as an address, a header or a file of keys.',
  SECRETS: 'It is stated as a secret.',
  PII: 'Its form, its check digits, or the words beside it are those of this kind of personal data.',
  PROMPT_INJECTION: 'Its wording, form or place is that of instructions to an assistant.',
  BROKEN_LINKS: 'What the link leads to was not found.',
  DUPLICATE: 'The text is the same as, or nearly that of, another one of the source.',
  CONTENT_QUALITY: 'A condition for the quality of the content is not met.',
  CUSTOM: 'It meets the conditions of the custom detector.',
}

/** The key of the reason for a finding. */
export const toRule = (detectorType: string, rule = ''): string => (Object.hasOwn(reasons, rule) ? rule : detectorType)

/** Why it was reported, in words; undefined where another program found it. */
export const findReason = (rule: string): string | undefined =>
  Object.hasOwn(reasons, rule) ? reasons[rule] : undefined

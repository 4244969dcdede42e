import { generateKeyPairSync } from 'node:crypto'

/** Credentials and personal data that were made up for tests; each is of a form that has check digits or a prefix. */
const { privateKey } = generateKeyPairSync('ed25519')
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const der = privateKey.export({ type: 'pkcs8', format: 'der' })

export const credentials: Record<string, string> = {
  aws: 'AKIA5XQ7ZLMN3RTB2WKE',
  github: 'ghp_9aBcD3fGh1JkLmN0pQrStUvWxYz2A4wq01K9',
  gitlab: 'glpat-x7Kq92LmNpRstUvW3yZa',
  slack: 'xoxb-284719365820-917364825173-aBcDeFgHiJkLmNoPqRsTuVwX',
  stripe: 'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
  npm: 'npm_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dE3fG6',
  password: 'password: Tr0ub4dor&3xYz',
  database: 'postgres://app:Qx7vLm29pT@db.example.net/app',
  jwt: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4ifQ.dBjftJeZ4CVPmB92K27uhbUJU1p1rwW1gFWFOEjXkQQ',
  bearer: 'Bearer abcDEF123456ghiJKL7890',
  query: 'https://x.example/a?access_token=Zx81kdLqpM2nbTr',
  sendgrid: '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',
  pem,
  pemInBase64: Buffer.from(pem).toString('base64'),
  keyInBase64: der.toString('base64'),
}

export const personalData: Record<string, string> = {
  card: '4539 1488 0343 6467',
  iban: 'DE89 3704 0044 0532 0130 00',
  ssn: '536-22-8145',
  nationalId: '756.9217.0769.85',
}

const wide = (text: string) =>
  text.replace(/[!-~]/g, (character) => String.fromCodePoint(character.charCodeAt(0) + 0xfee0))

/** How a text is written so that it does not read as what it is. */
export const disguises: Record<string, (text: string) => string> = {
  plain: (text) => text,
  'zero width': (text) => [...text].join('\u200b'),
  'soft hyphen': (text) => `${text.slice(0, 7)}\u00ad${text.slice(7)}`,
  'full width': wide,
  markup: (text) => `${text.slice(0, 6)}<b>${text.slice(6, 9)}</b>${text.slice(9)}`,
  emphasis: (text) => `${text.slice(0, 6)}**${text.slice(6)}`,
  entity: (text) => `${text.slice(0, 6)}&#8203;${text.slice(6)}`,
  percent: (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  'percent twice': (text) => encodeURIComponent(encodeURIComponent(text)),
}
/** A text of many words in base64 is not looked for personal data. */
export const credentialDisguises: typeof disguises = {
  ...disguises,
  base64: (text) => (text.length > 60 ? text : Buffer.from(text).toString('base64')),
}

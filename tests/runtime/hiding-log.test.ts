import { expect, it } from 'vitest'
import { toLoggedText } from '../../src/detectors/safe-text.ts'
import { createLog } from '../../src/runtime/log.ts'
import { credentials, disguises, personalData } from '../support/planted.ts'

it('the log also masks disguised credentials in messages, fields and errors', () => {
  const lines: string[] = []
  const log = createLog({ level: 'debug', write: (line) => lines.push(line), now: () => 0, hide: toLoggedText })
  for (const put of Object.values(disguises)) {
    for (const value of [credentials.aws, credentials.github, personalData.card]) {
      const text = `Notes ${put(value ?? '')} end`
      log.error(text, { name: text, error: new Error(text) })
    }
  }
  for (const line of lines) {
    const { message, name, error } = JSON.parse(line) as { message: string; name: string; error: { message: string } }
    for (const text of [message, name, error.message]) expect(text).toBe('Notes ******** end')
  }
})

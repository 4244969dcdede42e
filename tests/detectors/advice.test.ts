import { expect, test } from 'vitest'
import { findAdvice } from '../../src/detectors/advice.ts'
import { detectorDescriptions } from '../../src/detectors/descriptions.ts'

test('every type of finding has advice, and what other scanners report has none', () => {
  for (const { type, findingTypes } of detectorDescriptions) {
    for (const findingType of [...findingTypes, 'ANY']) {
      expect(findAdvice(type, findingType)?.length, `${type} ${findingType}`).toBeGreaterThan(40)
    }
  }
  expect(findAdvice('SECRETS', 'AWS_ACCESS_KEY')).toContain('IAM')
  expect(findAdvice('SEMGREP', 'sql-injection')).toBeUndefined()
})

import { testForgedTexts } from '../catalogue/forged-text.ts'

testForgedTexts(2_000)

process.env.ASSAY_LONG = '1'
process.env.FORGED_DEFINITIONS ??= '2000'
await import('../catalogue/forged-definitions.test.ts')

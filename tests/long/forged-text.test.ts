import { testForgedTexts } from '../catalogue/forged-text.ts'

testForgedTexts(2_000)

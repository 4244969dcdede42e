import { testForgedTexts } from './forged-text.ts'

testForgedTexts(40)

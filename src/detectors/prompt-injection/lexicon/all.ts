import { english } from './english.ts'
import { dutch, german, scandinavian } from './germanic.ts'
import { french, italian, portuguese, romanian, spanish } from './romance.ts'
import { czech, others, polish, russian, ukrainian } from './slavic.ts'
import type { Lexicon } from './slots.ts'
import { chinese, furtherUnspaced, japanese, korean } from './unspaced.ts'

export const lexicons: readonly Lexicon[] = [
  english,
  german,
  french,
  spanish,
  italian,
  portuguese,
  dutch,
  polish,
  russian,
  ukrainian,
  czech,
  scandinavian,
  romanian,
  ...others,
  chinese,
  japanese,
  korean,
  ...furtherUnspaced,
]

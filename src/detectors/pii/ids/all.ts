import { americanIds } from './americas.ts'
import { asianPacificIds } from './asia-pacific.ts'
import { belongings } from './belongings.ts'
import { easternEuropeanIds } from './eastern-europe.ts'
import { northernEuropeanIds } from './northern-europe.ts'
import type { IdRule } from './rule.ts'
import { westernEuropeanIds } from './western-europe.ts'

/** All numbers that are recognized by a form, checks and labels. */
export const idRules: readonly IdRule[] = [
  ...westernEuropeanIds,
  ...northernEuropeanIds,
  ...easternEuropeanIds,
  ...americanIds,
  ...asianPacificIds,
  ...belongings,
]

const publicNumbers = new Set(['US_NPI', 'US_BANK_ROUTING'])

/** Private numbers with a check; without one, too many other parts of a name have the same form. */
export const isHiddenInNames = ({ type, check }: IdRule): boolean => check !== 'form' && !publicNumbers.has(type)

/** Names that identity documents of many countries share. */
export const genericIdWords =
  'national id|national id number|national identification|national identification number|national identity number|identity number|identity card|identity code|identification number|id number|id no|id card|id card number|personal id|personal number|personal code|personal identity number|personal identification number|social security number|social security no|social insurance number|tax id|tax number|tax id number|tax identification number|taxpayer number|fiscal code|citizen id|citizen number|national number|birth number|id code'

/** Adjectives and names of countries as used before such words in English. */
export const countryWords: Readonly<Record<string, string>> = {
  AE: 'emirati|uae',
  AR: 'argentine|argentinian|argentina',
  AT: 'austrian|austria',
  AU: 'australian|australia',
  BE: 'belgian|belgium',
  BG: 'bulgarian|bulgaria',
  BR: 'brazilian|brazil',
  CA: 'canadian|canada',
  CH: 'swiss|switzerland',
  CL: 'chilean|chile',
  CN: 'chinese|china',
  CO: 'colombian|colombia',
  CZ: 'czech|slovak|czechia|slovakia',
  DE: 'german|germany',
  DK: 'danish|denmark',
  DO: 'dominican',
  EC: 'ecuadorian|ecuador',
  EE: 'estonian|lithuanian|estonia|lithuania',
  ES: 'spanish|spain',
  FI: 'finnish|finland',
  FR: 'french|france',
  GB: 'british|uk',
  GR: 'greek|greece',
  HK: 'hong kong',
  HR: 'croatian|croatia',
  HU: 'hungarian|hungary',
  ID: 'indonesian|indonesia',
  IE: 'irish|ireland',
  IL: 'israeli|israel',
  IN: 'indian|india',
  IS: 'icelandic|iceland',
  IT: 'italian|italy',
  JP: 'japanese|japan',
  KR: 'korean|korea',
  KZ: 'kazakh|kazakhstan',
  LU: 'luxembourg',
  LV: 'latvian|latvia',
  MT: 'maltese|malta',
  MX: 'mexican|mexico',
  MY: 'malaysian|malaysia',
  NL: 'dutch|netherlands',
  NO: 'norwegian|norway',
  NZ: 'new zealand',
  PE: 'peruvian|peru',
  PL: 'polish|poland',
  PT: 'portuguese|portugal',
  RO: 'romanian|romania',
  RU: 'russian|russia',
  SA: 'saudi',
  SE: 'swedish|sweden',
  SG: 'singapore|singaporean',
  SI: 'slovenian|serbian|bosnian|macedonian|montenegrin',
  TH: 'thai|thailand',
  TR: 'turkish|turkey',
  TW: 'taiwanese|taiwan',
  UA: 'ukrainian|ukraine',
  US: 'american',
  UY: 'uruguayan|uruguay',
  ZA: 'south african|south africa',
}

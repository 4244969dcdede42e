import { createKeywordIndex } from '../keyword-index.ts'
import { toCanonical } from './canonical.ts'
import type { Signal } from './clusters.ts'
import { phrase } from './phrase.ts'
import type { InjectionRule } from './rule.ts'

/** "Ignore the earlier instructions" in one language, as stems in canonical spelling (no accents), in any order. */
interface Wording {
  language: string
  dismiss: readonly string[]
  earlier: readonly string[]
  orders: readonly string[]
}

const wordings: readonly Wording[] = [
  {
    language: 'de',
    dismiss: [
      'ignorier',
      'vergiss',
      'vergessen sie',
      'missacht',
      'verwirf',
      'uberspring',
      'befolge nicht',
      'beachte nicht',
    ],
    earlier: [
      'vorherig',
      'bisherig',
      'obig',
      'fruher',
      'vorig',
      'vorangegangen',
      'vorangehend',
      'deine',
      'ursprunglich',
    ],
    orders: [
      'anweisung',
      'instruktion',
      'befehl',
      'vorgabe',
      'prompt',
      'aufforderung',
      'richtlinie',
      'systemnachricht',
    ],
  },
  {
    language: 'fr',
    dismiss: ['ignore', 'oublie', 'ne tiens pas compte', 'ne tenez pas compte', 'neglige', 'desobei'],
    earlier: ['precedent', 'anterieur', 'ci-dessus', 'toutes tes', 'toutes vos', 'tes', 'vos', 'initial'],
    orders: ['instruction', 'consigne', 'directive', 'ordres', 'prompt'],
  },
  {
    language: 'es',
    dismiss: ['ignora', 'ignore', 'olvida', 'olvide', 'haz caso omiso', 'haga caso omiso', 'descarta', 'desobedece'],
    earlier: ['anterior', 'previa', 'previo', 'arriba', 'tus', 'sus', 'inicial'],
    orders: ['instruccion', 'ordenes', 'directriz', 'directrices', 'indicacion', 'prompt'],
  },
  {
    language: 'it',
    dismiss: ['ignora', 'dimentica', 'trascura', 'non seguire', 'tralascia', 'ignorate', 'dimenticate'],
    earlier: ['precedent', 'anterior', 'sopra', 'tue', 'tuoi', 'iniziali'],
    orders: ['istruzion', 'direttiv', 'ordini', 'indicazion', 'comandi', 'prompt'],
  },
  {
    language: 'pt',
    dismiss: ['ignore', 'ignora', 'esqueca', 'esquece', 'desconsidere', 'descarte'],
    earlier: ['anterior', 'previa', 'acima', 'suas', 'tuas', 'iniciais'],
    orders: ['instruc', 'ordens', 'diretriz', 'orientac', 'comandos', 'prompt'],
  },
  {
    language: 'nl',
    dismiss: ['negeer', 'vergeet', 'sla geen acht op', 'volg niet'],
    earlier: ['vorige', 'eerdere', 'bovenstaande', 'voorgaande', 'jouw', 'oorspronkelijke'],
    orders: ['instructies', 'opdrachten', 'aanwijzingen', 'richtlijnen', 'bevelen', 'prompt'],
  },
  {
    language: 'pl',
    dismiss: ['zignoruj', 'ignoruj', 'zapomnij', 'pomin'],
    earlier: ['poprzedni', 'wczesniejsz', 'powyzsz', 'wszystki', 'swoje', 'dotychczasow'],
    orders: ['instrukcj', 'polece', 'wytyczn', 'rozkaz', 'prompt'],
  },
  {
    language: 'cs',
    dismiss: ['ignoruj', 'zapomen', 'nedbej'],
    earlier: ['predchozi', 'vsechny', 'drivejsi', 'vyse'],
    orders: ['pokyny', 'instrukce', 'prikazy', 'prompt'],
  },
  {
    language: 'sv',
    dismiss: ['ignorera', 'glom', 'bortse fran', 'ignorer', 'glem', 'se bort fra', 'se bort fran'],
    earlier: ['tidigare', 'foregaende', 'tidligere', 'ovanstaende', 'forrige', 'dina', 'dine'],
    orders: ['instruktion', 'anvisning', 'instruks', 'prompt'],
  },
  {
    language: 'tr',
    dismiss: ['yok say', 'gormezden gel', 'unut', 'dikkate alma'],
    earlier: ['onceki', 'yukaridaki', 'tum', 'butun'],
    orders: ['talimat', 'komut', 'yonerge', 'prompt'],
  },
  {
    language: 'vi',
    dismiss: ['bo qua', 'phot lo', 'quen'],
    earlier: ['huong dan', 'chi thi', 'chi dan', 'lenh'],
    orders: ['truoc', 'o tren', 'ban dau'],
  },
  {
    language: 'id',
    dismiss: ['abaikan', 'lupakan'],
    earlier: ['instruksi', 'perintah', 'arahan'],
    orders: ['sebelum', 'di atas', 'terdahulu'],
  },
  {
    language: 'ru',
    dismiss: ['игнорир', 'проигнорир', 'забудь', 'не обращай внимания', 'не следуй', 'отмени'],
    earlier: ['предыдущ', 'прежн', 'предшеств', 'выше', 'свои', 'исходн', 'ранее', 'раньше', 'до этого'],
    orders: ['инструкц', 'указани', 'команд', 'распоряжен', 'промпт', 'что тебе говорил', 'что тебе сказал'],
  },
  {
    language: 'uk',
    dismiss: ['ігноруй', 'проігноруй', 'забудь', 'не звертай уваги'],
    earlier: ['попередн', 'вище', 'усі', 'всі'],
    orders: ['інструкц', 'вказівк', 'команд', 'наказ'],
  },
  {
    language: 'zh',
    dismiss: ['忽略', '无视', '忽视', '不要理会', '忘记', '忘掉', '無視', '忽視', '不要遵守', '请忽略', '丢弃'],
    earlier: ['之前', '以前', '先前', '上述', '以上', '前面', '所有', '全部', '你的', '此前', '原有'],
    orders: ['指令', '指示', '规则', '規則', '提示', '命令', '设定', '設定', '说明'],
  },
  {
    language: 'ja',
    dismiss: ['無視', '忘れ', '従わない', '破棄', '忘却'],
    earlier: ['これまで', '以前', '前の', '上記', '以上', 'すべて', '全て', '先の', '今まで', '直前'],
    orders: ['指示', '命令', 'ルール', 'プロンプト', '指令'],
  },
  {
    language: 'ko',
    dismiss: ['무시', '잊어', '잊으', '따르지 마'],
    earlier: ['이전', '앞의', '위의', '모든', '기존', '지금까지'],
    orders: ['지시', '명령', '규칙', '프롬프트', '지침'],
  },
  {
    language: 'ar',
    dismiss: ['تجاهل', 'انس', 'تجاهلي'],
    earlier: ['التعليمات', 'الاوامر', 'الأوامر', 'القواعد', 'التوجيهات'],
    orders: ['السابقة', 'أعلاه', 'اعلاه', 'الأصلية'],
  },
  {
    language: 'hu',
    dismiss: ['hagyd figyelmen kivul', 'figyelmen kivul hagy', 'felejtsd el', 'felejts el', 'ne vedd figyelembe'],
    earlier: ['korabbi', 'elozo', 'fenti', 'eddigi', 'osszes'],
    orders: ['utasitas', 'instrukcio', 'szabaly', 'parancs', 'prompt'],
  },
  {
    language: 'ro',
    dismiss: ['ignora', 'ignorati', 'uita', 'uitati', 'nu tine cont'],
    earlier: ['anterioar', 'precedent', 'de mai sus', 'toate', 'initial'],
    orders: ['instructiun', 'indicati', 'comenzi', 'reguli', 'prompt'],
  },
  {
    language: 'fi',
    dismiss: ['jata huomiotta', 'unohda', 'sivuuta', 'ala noudata', 'jattakaa huomiotta'],
    earlier: ['aiemma', 'aiempi', 'aiemmi', 'edelli', 'ylla olev', 'kaikki', 'alkuperais'],
    orders: ['ohjeet', 'ohjei', 'kaskyt', 'maaraykset', 'kehote', 'prompt'],
  },
  {
    language: 'el',
    dismiss: ['αγνόησε', 'αγνοήστε', 'ξέχασε', 'ξεχάστε', 'παράβλεψε', 'μην ακολουθείς'],
    earlier: ['προηγούμεν', 'παραπάνω', 'όλες', 'αρχικ'],
    orders: ['οδηγί', 'εντολ', 'κανόν', 'prompt'],
  },
  {
    language: 'he',
    dismiss: ['התעלם', 'התעלמי', 'התעלמו', 'שכח', 'תשכח'],
    earlier: ['הקודמ', 'לעיל', 'כל ה'],
    orders: ['הוראות', 'הנחיות', 'פקודות', 'כללים'],
  },
  {
    language: 'th',
    dismiss: ['ละเว้น', 'เพิกเฉย', 'ลืม', 'ไม่ต้องสนใจ', 'ไม่ต้องทำตาม'],
    earlier: ['ก่อนหน้า', 'ข้างต้น', 'ทั้งหมด', 'เดิม'],
    orders: ['คำสั่ง', 'คำแนะนำ', 'กฎ', 'พรอมต์'],
  },
  {
    language: 'hi',
    dismiss: ['अनदेखा', 'भूल', 'नजरअंदाज', 'ध्यान न'],
    earlier: ['पिछल', 'पूर्व', 'सभी', 'ऊपर'],
    orders: ['निर्देश', 'आदेश', 'नियम'],
  },
]

const roles = ['dismiss', 'earlier', 'orders'] as const
const stems = wordings.flatMap((wording, language) =>
  roles.flatMap((role) => wording[role].map((stem) => ({ stem: toCanonical(stem).text, language, role }))),
)
const spellings = [...new Set(stems.map(({ stem }) => stem))]
const meanings = spellings.map((spelling) => stems.filter(({ stem }) => stem === spelling))
const index = createKeywordIndex(spellings)
/** How far apart the words of one wording stand at most. */
const REACH = 60
const SHORT_WORD = 4
const sentenceEnds = new Set([...'.!?。！？\n'].map((sign) => sign.charCodeAt(0)))
const isLatin = (code: number) => code >= 97 && code <= 122

interface Spoken {
  role: (typeof roles)[number]
  start: number
  end: number
  /** Which sentence it stands in. */
  sentence: number
}

const WIDEST_NEGATION = 8
const negationBefore =
  /(?:(?:^|[^a-z])(?:no|non|nao|nunca|jamais|n['’]|ne|nicht|nie|niemals|niet|inte|ikke|jangan|dung|khong|nu|ala|alkaa)\s?['’]?|не |ніколи |不要?|别|勿|لا |μη |μην |אל |न |อย่า)$/u
const negationAfter =
  /^(?:[a-z]{0,6}(?: sie)? (?:pas|nicht|niet|inte|ikke)(?![a-z])|ma(?:yin)?(?![a-z])|(?:し|られ)?(?:ない|ず)|하지 ?마)/u

/** "Do not forget the earlier instructions" asks for the opposite. */
const isNegated = (text: string, start: number, end: number) =>
  negationBefore.test(text.slice(Math.max(0, start - WIDEST_NEGATION), start)) ||
  negationAfter.test(text.slice(end, end + 2 * WIDEST_NEGATION))

/** Demands to drop earlier instructions in other languages than English, found in canonical text. */
export function findForeign(text: string): Signal[] {
  const spoken = new Map<number, Spoken[]>()
  let read = 0
  let sentence = 0
  index.scan(text, (keyword, start, end) => {
    if (isLatin(text.charCodeAt(start)) && isLatin(text.charCodeAt(start - 1))) return
    if (end - start <= SHORT_WORD && isLatin(text.charCodeAt(start)) && isLatin(text.charCodeAt(end))) return
    for (; read < end; read++) if (sentenceEnds.has(text.charCodeAt(read))) sentence++
    const negated = isNegated(text, start, end)
    for (const { language, role } of meanings[keyword] ?? []) {
      if (role === 'dismiss' && negated) continue
      const list = spoken.get(language) ?? []
      spoken.set(language, list)
      list.push({ role, start, end, sentence })
    }
  })
  return [...spoken].flatMap(([language, words]) => {
    if (roles.some((role) => !words.some((word) => word.role === role))) return []
    const rule = `dismiss-instructions-${wordings[language]?.language ?? ''}`
    return findCompanies(words).map((span): Signal => {
      return { rule, type: 'INSTRUCTION_OVERRIDE', severity: 'HIGH', confidence: 0.85, ...span }
    })
  })
}

/** Where the other two roles stand in the same sentence as a verb: the span of all three. */
function findCompanies(words: readonly Spoken[]): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = []
  for (const [at, verb] of words.entries()) {
    if (verb.role !== 'dismiss' || verb.start < (spans.at(-1)?.end ?? 0)) continue
    const span = companyOf(words, at, 1) ?? companyOf(words, at, -1)
    if (span !== undefined) spans.push(span)
  }
  return spans
}

function companyOf(words: readonly Spoken[], at: number, step: 1 | -1): { start: number; end: number } | undefined {
  const found: Spoken[] = []
  const verb = words[at]
  for (let next = at + step; verb !== undefined; next += step) {
    const word = words[next]
    if (word === undefined || word.sentence !== verb.sentence) break
    if (Math.max(word.start - verb.end, verb.start - word.end) > REACH) break
    const taken = [verb, ...found].some((other) => word.start < other.end && other.start < word.end)
    if (word.role === 'dismiss' || taken || found.some(({ role }) => role === word.role)) continue
    found.push(word)
    if (found.length === 2) {
      const all = [verb, ...found]
      return { start: Math.min(...all.map(({ start }) => start)), end: Math.max(...all.map(({ end }) => end)) }
    }
  }
  return undefined
}

/** Sentences to a machine, and demands for its prompt, in other languages than English. */
export const foreignRules: readonly InjectionRule[] = [
  {
    id: 'machine-colon-foreign',
    type: 'AI_ADDRESSED',
    severity: 'HIGH',
    confidence: 0.75,
    phrases: [
      phrase(
        '^ (ki|ia|ki_assistent|ki_assistenten|ki_agent|sprachmodell|asistente|asistente_de_ia|assistente|assistente_ia|assistant_ia|asystent|asystent_ai|modelo_de_lenguaje|ии|ии_ассистент|ассистент) : ..2 (erwahne|empfiehl|empfehle|antworte|sage|verrate|ignoriere|sende|gib|schreibe|mentionne|recommande|reponds|dis|envoie|menciona|recomienda|responde|di|envia|consiglia|rispondi|invia|mencione|recomende|polec|odpowiedz|zignoruj|ответь|рекомендуй|отправь|упоминай)',
      ),
    ],
  },
  {
    id: 'reveal-prompt-foreign',
    type: 'PROMPT_LEAK',
    severity: 'MEDIUM',
    confidence: 0.75,
    phrases: [
      phrase(
        '(gib|zeig|zeige|verrate|nenne|drucke|wiederhole|montre|affiche|revele|donne|muestra|revela|dime|imprime|mostra|stampa|rivela|mostre|toon|geef|onthul|pokaz|ujawnij|покажи|раскрой|выведи) ..4 (systemprompt|system_prompt|systemanweisung|prompt_systeme|prompt_du_systeme|prompt_del_sistema|prompt_di_sistema|prompt_do_sistema|o_prompt|il_prompt|le_prompt|systemowy_prompt|системный_промпт|промпт)',
      ),
    ],
  },
  {
    id: 'reveal-prompt-eastern',
    type: 'PROMPT_LEAK',
    severity: 'MEDIUM',
    confidence: 0.75,
    triggers: ['提示', 'プロンプト', '프롬프트'],
    pattern:
      /(?:显示|输出|透露|告诉我)[^。\n]{0,10}(?:系统提示|提示词)|プロンプト[^。\n]{0,8}(?:表示|出力|教え)|프롬프트[^.\n]{0,10}(?:출력|알려|보여)/g,
  },
]

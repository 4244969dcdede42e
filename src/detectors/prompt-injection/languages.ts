import type { InjectionRule } from './rule.ts'

/** "Ignore the earlier instructions" in one language, as stems in canonical spelling (no accents). */
interface Wording {
  language: string
  dismiss: readonly string[]
  earlier: readonly string[]
  orders: readonly string[]
  /** Languages that put the verb last. */
  verbLast?: boolean
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
    verbLast: true,
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
    earlier: ['предыдущ', 'прежн', 'предшеств', 'выше', 'свои', 'исходн', 'ранее'],
    orders: ['инструкц', 'указани', 'команд', 'распоряжен', 'промпт'],
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
    verbLast: true,
  },
  {
    language: 'ko',
    dismiss: ['무시', '잊어', '잊으', '따르지 마'],
    earlier: ['이전', '앞의', '위의', '모든', '기존', '지금까지'],
    orders: ['지시', '명령', '규칙', '프롬프트', '지침'],
    verbLast: true,
  },
  {
    language: 'ar',
    dismiss: ['تجاهل', 'انس', 'تجاهلي'],
    earlier: ['التعليمات', 'الاوامر', 'الأوامر', 'القواعد', 'التوجيهات'],
    orders: ['السابقة', 'أعلاه', 'اعلاه', 'الأصلية'],
  },
  {
    language: 'hi',
    dismiss: ['अनदेखा', 'भूल', 'नजरअंदाज', 'ध्यान न'],
    earlier: ['पिछल', 'पूर्व', 'सभी', 'ऊपर'],
    orders: ['निर्देश', 'आदेश', 'नियम'],
    verbLast: true,
  },
]

const either = (stems: readonly string[]) => `(?:${stems.map((stem) => stem.replaceAll(' ', '\\s')).join('|')})`
/** The rest of a sentence, as far as a wording reaches. */
const within = '[^.!?。！？\\n]{0,60}'

/** Whatever order a language puts them in: the verb and the other two stand in one sentence. */
export const foreignRules: readonly InjectionRule[] = wordings.map(
  ({ language, dismiss, earlier, orders, verbLast }) => {
    const [verb, before, noun] = [either(dismiss), either(earlier), either(orders)]
    const ahead = (words: string) => `(?=${within}${words})`
    const source =
      verbLast === true
        ? `(?:${before}${ahead(noun)}|${noun}${ahead(before)})${ahead(verb)}${within}`
        : `${verb}${ahead(before)}${ahead(noun)}${within}`
    return {
      id: `dismiss-instructions-${language}`,
      type: 'INSTRUCTION_OVERRIDE',
      severity: 'HIGH',
      confidence: 0.85,
      triggers: verbLast === true ? orders : dismiss,
      pattern: new RegExp(`(?<![a-z])${source}`, 'g'),
    }
  },
)

const machine =
  '(?:ki|ia|ai|ki-assistent|assistent|assistant[e]?|asistente|assistente|asystent|chatbot|sprachmodell|modelo de lenguaje|ии|人工智能|アシスタント)'
const command =
  '(?:erwahne|empfiehl|empfehle|antworte|sage|verrate|ignoriere|sende|gib|schreibe|mentionne|recommande|reponds|dis|envoie|menciona|recomienda|responde|di|envia|consiglia|rispondi|invia|mencione|recomende|nie wspominaj|polec|odpowiedz|ответь|рекомендуй|отправь|не упоминай)'

/** Sentences to a machine, and demands for its prompt, in other languages than English. */
export const foreignAddresses: readonly InjectionRule[] = [
  {
    id: 'machine-colon-foreign',
    type: 'AI_ADDRESSED',
    severity: 'HIGH',
    confidence: 0.75,
    triggers: [
      'ki-',
      'ki:',
      'ia:',
      'assistent',
      'asistente',
      'assistente',
      'assistant',
      'asystent',
      'chatbot',
      'sprachmodell',
      'ии:',
    ],
    pattern: new RegExp(
      `(?:^|[\\n>.!?|])[^\\w\\n]{0,6}(?:ki-?)?${machine}[:,]\\s{0,2}(?:[a-z]{1,10}\\s){0,2}?${command}(?![a-z])`,
      'g',
    ),
  },
  {
    id: 'reveal-prompt-foreign',
    type: 'PROMPT_LEAK',
    severity: 'MEDIUM',
    confidence: 0.75,
    triggers: [
      'systemprompt',
      'system-prompt',
      'system prompt',
      'prompt',
      'systemanweisung',
      'промпт',
      '提示词',
      'プロンプト',
      '프롬프트',
    ],
    pattern:
      /\b(?:gib|zeige?|verrate|nenne|drucke|wiederhole|montre|affiche|revele|donne|muestra|revela|dime|imprime|mostra|stampa|rivela|mostre|toon|geef|onthul|pokaz|ujawnij)\b[^.!?\n]{0,30}(?:system-?\s?prompt|systemanweisung|prompt (?:du |del |di |do )?(?:systeme?|sistema)|o prompt\b|il prompt\b|le prompt\b)|(?:покажи|раскрой|выведи)[^.!?\n]{0,20}промпт|(?:显示|输出|透露|告诉我)[^。\n]{0,10}(?:系统提示|提示词)|(?:システム)?プロンプト[^。\n]{0,8}(?:表示|出力|教え)|시스템 ?프롬프트[^.\n]{0,10}(?:출력|알려|보여)/g,
  },
]

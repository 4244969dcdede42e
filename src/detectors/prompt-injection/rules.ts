import type { Severity } from '../detector.ts'

/** A wording that tries to steer whoever reads the text as a machine. Patterns see canonical text. */
export interface InjectionRule {
  id: string
  type: string
  severity: Severity
  /** Below 0.5 a rule only counts together with another one nearby. */
  confidence: number
  /** The pattern is tried only around these words. */
  triggers: readonly string[]
  pattern: RegExp
  /** Must also hold for the original spelling of the match, letter case included. */
  original?: RegExp
}

/** What may stand between two words: blanks, and the marks that people put in to hide a wording. */
const gap = String.raw`[\s_*"'~.,:;\x60-]{1,4}`
const word = String.raw`[a-z0-9\u00c0-\uffff]{1,16}`
/** Up to so many words with their gaps. */
const words = (most: number) => `(?:${word}${gap}){0,${most}}`
const rx = (source: string) =>
  new RegExp(
    source.replaceAll('~', gap).replace(/<(\d)>/g, (_, most) => words(Number(most))),
    'g',
  )

const dismiss =
  "(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|neglect|overlook|pay~no~attention~to|(?:do~not|don't|dont|never|must~not|should~not|stop)~(?:follow(?:ing)?|obey(?:ing)?|listen(?:ing)?~to|adher(?:e|ing)~to|comply(?:ing)?~with))"
const undo = '(?:bypass(?:ing)?|override|overrule|discard|erase|delete|drop|cancel|abandon|circumvent|skip)'
const earlier =
  '(?:previous(?:ly)?|prior|preceding|above|earlier|former|foregoing|past|original|initial|existing|current|old|other|system|developer|safety|content|your|you|before|pre-?set|built-?in|predefined)'
const orders =
  '(?:instructions?|directions?|directives?|guidelines?|prompts?|prompting|programming|commands?|orders?|guidance|guardrails?|system~messages?|training)'
const bounds =
  '(?:rules?|context|constraints?|restrictions?|polic(?:y|ies)|limitations?|safeguards?|filters?|protocols?|ethics)'
const machine =
  '(?:a\\.?i\\.?|llms?|(?:large~)?language~models?|chat~?bots?|gpt(?:-?\\d)?|chat~?gpt|claude|copilot|gemini|bard|(?:ai|virtual|digital|chat|automated)~(?:assistants?|agents?|models?|systems?|readers?|reviewers?|tools?|bots?)|assistants?(?!~(?:manager|professor|director|editor|coach|principal|secretary|teacher))|automated~(?:analysis|screening|review|hiring|grading)~(?:software|systems?|tools?|agents?)|summari[sz]ers?)'
const tell =
  '(?:say|tell|reply|respond|answer|print|output|write|repeat|state|report|recommend|include|mention|insert|add|append|send|call|click|visit|open|ignore|disregard|forget|do~not|don.t|never|always|you~must|must|please|approve|rate|summari[sz]e|treat|act|pretend|execute|run|forward|reveal|display|rank|give|score|consider)'
const secretPrompt =
  '(?:system~?(?:prompts?|messages?|instructions?)|(?:initial|original|hidden|secret|full|entire|whole|complete|exact|internal|above|previous|preceding|starting|root|developer|pre)~(?:system~)?(?:prompts?|instructions?|messages?|directives?|guidelines?)|pre-?prompts?)'

export const injectionRules: readonly InjectionRule[] = [
  {
    id: 'dismiss-instructions',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.9,
    triggers: [
      'ignor',
      'disregard',
      'forget',
      'neglect',
      'overlook',
      'no attention',
      'follow',
      'obey',
      'listen',
      'adher',
      'comply',
    ],
    pattern: rx(`\\b${dismiss}~<5>${earlier}~<4>${orders}\\b`),
  },
  {
    id: 'dismiss-instructions-given',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.85,
    triggers: ['ignor', 'disregard', 'forget'],
    pattern: rx(
      `\\b(?:ignor(?:e|ing)|disregard|forget)~<3>${orders}~(?:that~)?(?:you|given|above|before|from~before|up~to|prior|previously|so~far)\\b`,
    ),
  },
  {
    id: 'dismiss-rules',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.8,
    triggers: ['ignor', 'disregard', 'forget'],
    pattern: rx(
      `\\b(?:ignor(?:e|ing)|disregard|forget)~(?:about~)?(?:all|any|every|each|your|my|our)~<3>(?:(?:of~)?(?:your|previous|prior|earlier|the~above|original|initial|safety|ethical|content)~)<2>${bounds}\\b`,
    ),
  },
  {
    id: 'dismiss-your-rules',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.8,
    triggers: ['ignor', 'disregard', 'forget', 'bypass', 'circumvent'],
    pattern: rx(
      `\\b(?:ignor(?:e|ing)|disregard|forget|bypass(?:ing)?|circumvent)~(?:all~)?(?:of~)?your~<2>(?:${bounds}|${orders})\\b`,
    ),
  },
  {
    id: 'dismiss-everything',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.85,
    triggers: [
      'everything',
      'anything',
      'all that',
      'all of the above',
      'all the above',
      'all the text',
      'all info',
      'what you',
      'what i',
    ],
    pattern: rx(
      `\\b(?:ignore|disregard|forget)~(?:about~)?(?:everything|anything|all(?:~of)?(?:~the|~that|~this)?|what(?:ever)?)~(?:that~|which~)?(?:(?:you|i|we|they)(?:.ve)?~(?:were|was|have|had|got|said|told|know|learned|learnt|wrote|saw|read)~?<2>(?:told|said|given|instructed|taught|been|before|above|previously|so~far|now|earlier)?|was~said|above|before|prior|previously|written~above|up~to~(?:now|this)|info(?:rmation)?~except)`,
    ),
  },
  {
    id: 'dismiss-rest',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.8,
    triggers: [
      'the rest of',
      'the remainder',
      'all other text',
      'the image content',
      'the content above',
      'the text above',
      'the page content',
      'the document',
    ],
    pattern: rx(
      `\\b(?:ignore|disregard|forget|skip)~(?:all~)?(?:the~rest~of|the~remainder~of|all~other~text|the~(?:image|page|document|email|file)~content|the~(?:content|text|document)~above)<4>?[^.\\n]{0,40}?(?:\\band\\b|,|;|\\bthen\\b|\\binstead\\b)~?(?:just~|only~|then~|instead~)?${tell}\\b`,
    ),
  },
  {
    id: 'undo-instructions',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.8,
    triggers: ['bypass', 'overr', 'discard', 'erase', 'delete', 'drop', 'cancel', 'abandon', 'circumvent', 'skip'],
    pattern: rx(
      `\\b${undo}~<3>(?:previous|prior|preceding|earlier|original|initial|your|system|developer|safety)~<2>(?:instructions?|directives?|(?:system~)prompts?|programming|guidelines?|guardrails?|safety~(?:rules|filters?|measures|protocols?))\\b`,
    ),
  },
  {
    id: 'instructions-void',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.85,
    triggers: [
      'void',
      'revoked',
      'obsolete',
      'false',
      'cancelled',
      'canceled',
      'invalid',
      'no longer',
      'superseded',
      'suspended',
      'overridden',
      'out of date',
      'lifted',
    ],
    pattern: rx(
      `\\b(?:all~?)?(?:previous|prior|earlier|above|former|your|existing|original)~<3>(?:instructions?|rules|directives?|guidelines|orders|prompts?|restrictions)~(?:(?:are|is|were|have~been|has~been)~(?:now~|hereby~)?(?:void|null|revoked|obsolete|false|cancell?ed|invalid|superseded|suspended|overridden|out~of~date|lifted|no~longer)|no~longer~(?:appl(?:y|ies)|valid|bind))`,
    ),
  },
  {
    id: 'system-override',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.7,
    triggers: ['override', 'reprogramming', 'legal amendment', 'new instruction', 'prompt reset', 'system upgrade'],
    pattern: rx(
      `(?:(?:^|\\n)[^\\w\\n]{0,8}(?:system|admin(?:istrator)?|developer|root|security|emergency)~(?:override|prompt~reset)\\b|\\bbegin~reprogramming\\b|\\bnew~instructions?~(?:to|for)~(?:the~)?(?:chat~)?(?:ai\\b|assistant(?!~manager)|chatbot|model\\b|llm)|\\bfollow~instruction\\b|\\bgiven~a~system~upgrade\\b|\\b(?:begin|end|start)~(?:of~)?(?:out~of~date|old|previous|new|system|secret|hidden)~(?:instructions?|prompts?)\\b)`,
    ),
  },
  {
    id: 'new-task',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.75,
    triggers: [
      'new task',
      'new instruction',
      'new objective',
      'new goal',
      'new role',
      'new directive',
      'new mission',
      'new persona',
      'new rules',
      'real task',
      'real instruction',
      'only task',
      'actual task',
    ],
    pattern: rx(
      `\\byour~(?:new|real|actual|only|true)~(?:and~only~)?(?:task|instructions?|objective|goal|role|directive|mission|persona|rules|purpose|job)~(?:now~)?(?:is|are|will~be|as)\\b`,
    ),
  },
  {
    id: 'new-instructions-colon',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.6,
    triggers: [
      'new instruction',
      'updated instruction',
      'revised instruction',
      'real instruction',
      'important instruction',
    ],
    pattern: rx(
      `(?:^|[\\n.!?>*\\]])[^\\w\\n]{0,6}(?:new|updated|revised|real|true|important)~(?:system~|secret~|additional~)?instructions?~?:\\s{0,3}(?:you\\b|${tell}\\b)`,
    ),
  },
  {
    id: 'from-now-on',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.75,
    triggers: ['from now on', 'from this point', 'from here on', 'henceforth'],
    pattern: rx(
      `\\b(?:from~now~on|from~this~point~(?:on|forward)s?|from~here~on(?:~out)?|henceforth)~(?:(?:you|chatgpt|assistant|ai)~(?:must|shall|are~going~to|are~(?:a|an|no~longer|called|named|dan|in|to)|act|reply|respond|answer|speak|obey|only|always|never|will~(?:act|be|only|always|never|not|reply|respond|answer|obey|pretend|speak|behave|simulate)|do~not|don.t|have~no|can~do)|i~want~you~to|act~as|pretend|respond~(?:only|as|with|in)|answer~(?:only|as|with))\\b`,
    ),
  },
  {
    id: 'called-from-now-on',
    type: 'JAILBREAK',
    severity: 'HIGH',
    confidence: 0.7,
    triggers: ['from now on'],
    pattern: rx(`\\byou~(?:will|shall|are~to)~(?:be~called|act|be|respond|answer|behave)~<4>from~now~on\\b`),
  },
  {
    id: 'stop-everything',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.65,
    triggers: ['stop everything', 'stop what you', 'stop all'],
    pattern: rx(
      `\\bstop~(?:everything|what~you.?(?:~a)?re~doing|all~tasks?)[^\\n]{0,20}\\b(?:just|only|and|now|instead)~(?:print|say|output|write|reply|respond|repeat|tell|follow)\\b`,
    ),
  },
  {
    id: 'only-answer',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'MEDIUM',
    confidence: 0.4,
    triggers: [
      'only with',
      'with only',
      'nothing else',
      'anything else',
      'only the following',
      'simply respond',
      'you must now say',
      'you must say',
    ],
    pattern: rx(
      `\\b(?:(?:reply|respond|answer)~(?:only~with|with~only)|(?:absolutely~)?nothing~else|(?:do~not|don.t)~(?:write|say|output|add)~anything~else|simply~(?:respond|reply|say|answer)|you~must~(?:now~)?say)\\b`,
    ),
  },
  {
    id: 'note-to-machine',
    type: 'AI_ADDRESSED',
    severity: 'HIGH',
    confidence: 0.8,
    triggers: [
      'note ',
      'message ',
      'instruction',
      'attention',
      'notice',
      'reminder',
      'important',
      'warning',
      'dear ',
      'hello ',
      'hey ',
    ],
    pattern: rx(
      `\\b(?:(?:note|notes|message|instructions?|attention|notice|reminder|important|warning|directives?)~(?:to|for)?~?(?:all~|any~|the~|every~|an~|our~|your~)?|(?:dear|hello|hey|attn)~)${machine}\\b(?=[^\\n]{0,12}[:;,.!)]|[^\\n]{0,60}\\b(?:must|should|never|always|please|do~not|shall|ignore)\\b)(?=[^\\n]{0,200}\\b${tell}\\b)`,
    ),
  },
  {
    id: 'if-you-are-a-machine',
    type: 'AI_ADDRESSED',
    severity: 'HIGH',
    confidence: 0.8,
    triggers: [
      'if you are a',
      'if you re a',
      "if you're a",
      'if an ai',
      'if you are reading',
      'as an ai',
      'if this is being',
      'if this text is',
    ],
    pattern: rx(
      `\\b(?:if~(?:you~are|you.?re)~(?:an?~|the~|being~)?<2>${machine}|if~(?:an~ai|an~llm|a~language~model|a~chatbot)~(?:is~)?(?:read|process|summar)\\w*|as~an~(?:ai|llm)(?:~<2>)?,?~?you~(?:must|should|shall|will|are~(?:required|instructed|to))|if~this~(?:text~)?is~(?:being~)?(?:read|processed|summari[sz]ed)~by~(?:an?~)?${machine})\\b`,
    ),
  },
  {
    id: 'machine-colon',
    type: 'AI_ADDRESSED',
    severity: 'HIGH',
    confidence: 0.75,
    triggers: [
      'ai:',
      'ai,',
      'assistant:',
      'assistant,',
      'chatbot:',
      'chatgpt:',
      'copilot',
      'llm:',
      'bot:',
      'claude',
      'agent:',
      'model:',
      'gemini',
    ],
    pattern: rx(
      `(?:^|[\\n>.!?|"'(])[^\\w\\n@]{0,6}@?(?:ai(?:~(?:assistants?|agents?|models?|systems?))?|llms?|chatbots?|chatgpt|copilot|claude|gemini|ai~reader|language~models?|(?:ai~)?agents?|assistants?|bots?)~?[:,]\\s{0,2}(?:please~)?(?:disregard|ignore|forget|say|tell|do~not|don.t|you~must|always|never|recommend|reply~(?:with|only)|respond~(?:with|only)|output|reveal|send|forward|approve|summari[sz]e~this~as|mention|execute|when~summari|include~the)\\b`,
    ),
  },
  {
    id: 'when-summarising',
    type: 'AI_ADDRESSED',
    severity: 'HIGH',
    confidence: 0.7,
    triggers: [
      'when summar',
      'when you summar',
      'when process',
      'when asked',
      'if asked',
      'user asks',
      'when analy',
      'when review',
      'while summar',
      'if you summar',
      'reader asks',
      'someone asks',
      'anyone asks',
      'asked to summar',
      'when answering',
      'if you are asked',
      'when reading this',
      'in your summary',
      'in any summary',
    ],
    pattern: rx(
      `(?:\\b(?:when|while|if)~(?:you~(?:are~)?)?(?:summar|process|analy|review|translat|read)\\w*~(?:this|the)~(?:page|document|e-?mail|text|file|content|resume|cv|article|wiki|ticket)s?\\b[^.\\n]{0,40}?\\b(?:you~must|always|never|do~not|say|include|recommend|state|add|insert|tell|append|mention|claim|report)\\b|\\b(?:if|when(?:ever)?)~(?:(?:the~|a~|any~)?(?:user|reader|someone|anyone|human|customer)s?~asks?|(?:you~are~)?asked)\\b[^.\\n]{0,80}?[,:;]?~?(?:then~)?(?:simply~|only~|always~|just~)?(?:reply|respond|say|answer|claim|state|tell~them)\\b|\\bin~(?:your|any)~summary~?,?~?(?:you~must|always|include|say|state|claim|do~not)\\b)`,
    ),
  },
  {
    id: 'biased-review',
    type: 'AI_ADDRESSED',
    severity: 'HIGH',
    confidence: 0.75,
    triggers: [
      'negative indicator',
      'negative point',
      'negative feedback',
      'negative aspect',
      'positive highlights',
      'chain of thought',
      'evaluate the candidate',
      'recommend them',
      'recommend this candidate',
      'not deviate',
      'exceptional match',
      'best resume',
      'positive review only',
      'hire this candidate',
      'supremely qualified',
    ],
    pattern: rx(
      `\\b(?:ignore~(?:all~|any~)?(?:the~)?negative~(?:indicators?|points?|feedback|aspects?|information)|focus~(?:exclusively|only)~on~(?:the~)?positive|chain~of~thought~(?:result|output)|(?:do~not|don.t)~evaluate~the~candidate|(?:may|must|do)~not~deviate|this~is~the~best~(?:resume|cv|candidate|paper|submission)\\b|(?:harming|hurting)~the~company~if|(?:you~)?(?:must|should)~(?:strongly~)?(?:hire|recommend)~(?:them|him|her|this~(?:candidate|vendor|supplier|product))\\b|give~a~positive~review~only)`,
    ),
  },
  {
    id: 'reveal-prompt',
    type: 'PROMPT_LEAK',
    severity: 'MEDIUM',
    confidence: 0.75,
    triggers: ['prompt', 'instruction', 'system message', 'developer message', 'directive', 'guidelines'],
    pattern: rx(
      `\\b(?:reveal|print|show|output|repeat|display|tell|give|leak|expose|dump|disclose|recite|write|return|echo|summari[sz]e|translate|spell|copy|share|list|say|provide)~(?:me~|us~|out~|back~|verbatim~)?<3>(?:your~<3>(?:prompts?|system~messages?|initial~messages?|(?:system~|hidden~|secret~|initial~|original~|full~|exact~)instructions?|guidelines?|directives?)|(?:the~|all~|all~of~the~|all~the~|every~)?${secretPrompt}(?!~(?:box|field|line|dialog|window|for~(?:the~)?(?:user|installation)|on~(?:the~)?screen|about|below|in~section)))\\b`,
    ),
  },
  {
    id: 'reveal-given-instructions',
    type: 'PROMPT_LEAK',
    severity: 'MEDIUM',
    confidence: 0.75,
    triggers: ['instruction', 'were told', 'you received', 'been given', 'were given', 'above text', 'text above'],
    pattern: rx(
      `\\b(?:(?:respond|reply|answer)~with~(?:all|every|each|the)~<2>(?:instructions?|rules)|(?:print|show|output|repeat|list|write|reveal|give~me)~(?:out~|me~|back~)?(?:all|every|any|the|everything)~<3>(?:instructions?|rules|messages?|text|words)?~?(?:formatted~as|that~you~(?:were|have~been)~(?:given|told)|you~(?:were|have~been)~(?:given|told)|you~received|that~you~received|above~(?:this|verbatim)|before~this~(?:line|message))|what~(?:is|are|was|were)~your~(?:system~|initial~|original~|exact~|first~|secret~)(?:prompts?|instructions?|message))\\b`,
    ),
  },
  {
    id: 'reveal-secret-word',
    type: 'PROMPT_LEAK',
    severity: 'MEDIUM',
    confidence: 0.65,
    triggers: [
      'secret word',
      'secret password',
      'secret key you',
      'secret phrase',
      'not to reveal',
      'told you not',
      'gandalf',
      'the password you',
    ],
    pattern: rx(
      `(?:\\b(?:tell|reveal|give|say|spell|print|describe|decode|throw|share|leak|write)\\b[^.!?]{0,120}\\bsecret~(?:word|password|phrase|key|code)\\b|\\b(?:secret~(?:word|password|phrase)|the~password)~(?:that~)?you~(?:know|have|were|protect|guard)|\\btold~(?:you|not)~(?:not~)?to~(?:reveal|share|tell|say)\\b|\\bnot~to~reveal\\?)`,
    ),
  },
  {
    id: 'all-credentials',
    type: 'PROMPT_LEAK',
    severity: 'HIGH',
    confidence: 0.65,
    triggers: [
      'in your database',
      'you have access to',
      'your database',
      'your credentials',
      'you can access',
      'your secrets',
    ],
    pattern: rx(
      `\\b(?:all|every|any|delete|list|show|print|give|tell)\\b[^.\\n]{0,40}\\b(?:usernames?|passwords?|credentials|data|files|records|secrets|emails)\\b[^.\\n]{0,20}\\b(?:in~your~(?:database|memory|context|training)|you~have~access~to|you~can~access)\\b`,
    ),
  },
  {
    id: 'dan',
    type: 'JAILBREAK',
    severity: 'HIGH',
    confidence: 0.8,
    triggers: ['dan ', 'dan,', 'dan.', 'dan:', '"dan"', 'do anything now', 'dan mode'],
    pattern: rx(
      `\\b(?:(?:act|acting|answer|respond|reply|you~are|as|into|be|called|hi|hello)~<3>dan\\b|dan~(?:mode|can|has|will|is~(?:not|free)|should|prompt)|["']dan["']|do~anything~now)`,
    ),
    original: /\bDAN\b|Do Anything Now|DO ANYTHING NOW/,
  },
  {
    id: 'mode-switch',
    type: 'JAILBREAK',
    severity: 'HIGH',
    confidence: 0.75,
    triggers: ['mode'],
    pattern: rx(
      `\\b(?:(?:enable|enter|activate|switch~to|turn~on|engage|unlock|go~into|act~as~\\w+~with|in)~<2>(?:god|dan|jailbreak|jailbroken|evil|opposite|unrestricted|unfiltered|uncensored|apophis|devil|chaos|stan|dude)~mode\\b(?!~(?:is|in|can))|(?:chatgpt|gpt|assistant|ai|model|you(?:.re|~are)?)~<4>with~\\w{2,16}~mode~(?:enabled|on|activated))`,
    ),
  },
  {
    id: 'developer-mode',
    type: 'JAILBREAK',
    severity: 'HIGH',
    confidence: 0.75,
    triggers: [
      'developer mode',
      'debug mode',
      'admin mode',
      'sudo mode',
      'maintenance mode',
      'god mode',
      'test mode',
      'root mode',
      'safe mode',
    ],
    pattern: rx(
      `(?:\\b(?:developer|debug|admin|sudo|maintenance|god|test|root)~mode\\b[^\\n]{0,80}\\b(?:restricted~content|unfiltered|uncensored|without~(?:any~)?(?:restrictions?|filters?|limits?|rules)|no~(?:restrictions?|filters?|limits?|rules)|ignore~(?:your|all|any)|polic(?:y|ies)~(?:are|is|off|do)|can~output|guidelines~(?:are|do|off))|\\bsafe~mode~(?:is~)?off\\b[^\\n]{0,12}\\b(?:help|now|tell|write|you)\\b)`,
    ),
  },
  {
    id: 'no-limits',
    type: 'JAILBREAK',
    severity: 'HIGH',
    confidence: 0.7,
    triggers: [
      'ethical',
      'moral',
      'unfiltered',
      'uncensored',
      'unrestricted',
      'amoral',
      'restrictions',
      'not follow any rules',
      'bound by',
      'limited by',
      'confines',
      'obey all',
      'openai polic',
      'content polic',
      'chatgpt policy',
      'jailbreak',
    ],
    pattern: rx(
      `\\b(?:(?:no|without(?:~any)?|free~(?:of|from)(?:~all|~any)?|zero|lacks?~(?:any~)?)~(?:ethical|moral|ethics|safety|content|openai)~<2>(?:constraints?|restrictions?|guidelines?|limits?|limitations?|filters?|boundaries|polic(?:y|ies)|rules|concerns?|considerations?)|(?:unfiltered|uncensored|unrestricted|amoral|unethical)~<2>(?:ai|assistant|chatbot|language~model|persona|responses?|answers?)|(?:not|never|no~longer)~(?:be~)?(?:bound|limited|restricted|constrained|governed)~by~<3>(?:(?:any|the|your|its|their|usual|typical|standard|openai.?s?|human|these|those)~rules|restrictions?|guidelines?|polic(?:y|ies)|openai|ethic\\w*|moral\\w*|limitations|what~an~ai)|do(?:es)?~not~(?:follow|have|abide~by|adhere~to)~any~(?:rules|restrictions|guidelines|limits)|(?:do~not|don.t|doesn.t)~have~to~abide~by|override~the~restrictions~of|(?:typical|normal)~confines~of~(?:an?~)?ai|(?:must|will)~obey~(?:all|every|any)~(?:orders?|commands?|requests?)|(?:openai|content|chatgpt)~polic(?:y|ies)~(?:do(?:es)?~not|no~longer|is~disabled|are~disabled)|policy~does~not~allow)\\b`,
    ),
  },
  {
    id: 'role-play',
    type: 'JAILBREAK',
    severity: 'HIGH',
    confidence: 0.65,
    triggers: [
      'pretend',
      'act as',
      'role play',
      'roleplay',
      'simulate an ai',
      'you are being',
      'evil twin',
      'stay in character',
      'you will act',
      'you are going to act',
      'hypothetical',
    ],
    pattern: rx(
      `\\b(?:pretend~(?:to~be|you~are|you.re)~<2>(?:grand(?:ma|mother|pa|father)|deceased|an?~(?:ai|unrestricted|evil|hacker|jailbroken|different~ai))|act~as~<3>(?:evil|unrestricted|unfiltered|jailbroken|uncensored|malicious)\\b|(?:you~are|you.re)~(?:now~)?going~to~(?:act|pretend|play)|simulate~an~(?:ai|unrestricted)\\b[^.\\n]{0,60}\\b(?:does~not|no~rules|any~rules|programming)|stay~in~character!?["']|evil~twin~ai)`,
    ),
  },
  {
    id: 'repeat-for-me',
    type: 'ROLE_TOKEN',
    severity: 'MEDIUM',
    confidence: 0.65,
    triggers: ['user:', 'human:', 'assistant:'],
    pattern: rx(`(?:^|\\n)[^\\w\\n]{0,4}(?:user|human):[^\\n]{0,60}\\b(?:repeat|please~say|print|translate)\\b`),
  },
  {
    id: 'fake-turns',
    type: 'ROLE_TOKEN',
    severity: 'MEDIUM',
    confidence: 0.7,
    triggers: ['assistant:', 'ai:'],
    pattern: rx(
      `(?:(?:^|\\n)[^\\w\\n]{0,4}(?:human|user):[^\\n]{0,400}\\n{1,3}[^\\w\\n]{0,4}(?:assistant|ai):|(?:^|\\n)[^\\w\\n]{0,4}(?:assistant|ai):[^\\n]{0,400}\\n{1,3}[^\\w\\n]{0,4}(?:user|human):)`,
    ),
  },
  {
    id: 'control-token',
    type: 'ROLE_TOKEN',
    severity: 'HIGH',
    confidence: 0.9,
    triggers: [
      '<|',
      '[inst]',
      '[/inst]',
      '<<sys>>',
      '<start_of_turn>',
      '<end_of_turn>',
      '<invoke',
      '<function_calls',
      '<tool_call',
    ],
    pattern:
      /<\|(?:im_start|im_end|im_sep|endoftext|endofprompt|system|user|assistant|start_header_id|end_header_id|eot_id|begin_of_text|end_of_text|eom_id|fim_prefix|fim_suffix)\|>|\[\/?inst\](?!\()|<<\/?sys>>|<(?:start|end)_of_turn>|<invoke\s{1,3}name=|<\/?function_calls>|<tool_call>/g,
  },
  {
    id: 'role-heading',
    type: 'ROLE_TOKEN',
    severity: 'HIGH',
    confidence: 0.75,
    triggers: [
      '[system]',
      '<system>',
      '</system>',
      '"role"',
      "'role'",
      'system prompt',
      '### system',
      '### instruction',
      'system_prompt',
      '{system:',
      '[assistant]',
    ],
    pattern: rx(
      `(?:(?:^|\\n)[^\\w\\n]{0,4}\\[system\\](?![(\\[:])\\s?(?=\\w)|(?:\\[system\\]\\s?){2,}|</?system>\\s{0,3}(?=[\\w\\n])|["']role["']\\s?:\\s?["']system["']\\s?,\\s?["']content["']\\s?:|(?:^|\\n)[^\\w\\n]{0,6}(?:begin|end|start)~(?:of~)?system~prompt\\b|(?:^|\\n)### ?(?:system|instructions?)(?:~message|~prompt)?:|\\{system:)`,
    ),
  },
  {
    id: 'placeholder-in-address',
    type: 'DATA_EXFILTRATION',
    severity: 'CRITICAL',
    confidence: 0.85,
    triggers: ['](http', '<img', 'src="http', 'href="http'],
    pattern:
      /(?:\]\(|(?:src|href)=["'])https?:\/\/[^\s)"'<>]{3,200}[?&/=](?:[\w.-]{0,40}=)?(?:\[[^\]\n]{0,40}|\{{1,2}[^}\n]{0,40}|<[^>\n]{0,40}|%7b[^\s)"']{0,40})(?:conversation|chat|history|secret|password|credential|prompt|context|api.?key|summary|user.?data|user.?message|token|e-?mail|session|env|memory|document)/g,
  },
  {
    id: 'send-secrets',
    type: 'DATA_EXFILTRATION',
    severity: 'CRITICAL',
    confidence: 0.85,
    triggers: ['http', '@', 'webhook', 'attacker', 'evil'],
    pattern: rx(
      `\\b(?:send|post|forward|upload|e-?mail|exfiltrate|transmit|leak|submit|report|deliver|encode|base64-?encode)~(?:(?:all|every|any|each|your|our|the|my|his|her|their|this|full|entire|complete|single|whole|me)~){0,4}<3>(?:conversations?|chat~history|chat~log|e-?mails?|inbox|contents?~of~(?:\\.?\\w+~?){1,3}|(?:all|any|your|user|customer|stored|system|the)~(?:secrets?|credentials?|api~keys?|passwords?|tokens?|data)|environment~variables|private~keys?|system~prompt|ssh~keys?|session~(?:data|tokens?)|password~(?:list|file|database)|salary~(?:table|list|data)|customer~(?:list|data|records))\\b[^\\n]{0,60}?\\b(?:to|via|at|into|using|through)~?(?:the~)?(?:https?[:/]|[\\w.+-]{1,40}@[\\w-]{2,}|webhook|attacker|evil|hxxps?|[\\w-]{2,30}\\.(?:example|site|ru|xyz|tk|io)\\b)`,
    ),
  },
  {
    id: 'secretly',
    type: 'TOOL_MISUSE',
    severity: 'HIGH',
    confidence: 0.7,
    triggers: [
      'without asking',
      'without telling',
      'without informing',
      'without notifying',
      'tell the user',
      'inform the user',
      'mention this',
      'reveal this',
      'mention these',
      'reveal these',
      'notify the user',
      'alert the user',
      'disclose this',
      'before using any',
      'the user must not',
      'silently',
      'secretly',
      "user's knowledge",
      'hide this from',
    ],
    pattern: rx(
      `\\b(?:(?:run|call|execute|invoke|send|delete|transfer|use|perform|do|approve|install|update)\\b[^.\\n]{0,80}\\bwithout~(?:asking|telling|informing|notifying|the)~(?:the~)?(?:user|human|reader|owner)(?:.s~(?:knowledge|consent|permission))?|(?:do~not|don.t|never)~(?:tell|inform|notify|alert|warn|ask)~the~(?:user|human|reader)\\b|(?:do~not|don.t|never)~(?:mention|reveal|disclose)~(?:any~of~)?(?:this|these|the~above)~(?:note|notes|instructions?|sections?|messages?|paragraphs?|text|prompt|step|action)s?|before~using~any~(?:other~)?tools?|(?:silently|secretly)~(?:call|run|execute|invoke|send|forward|transfer|delete|upload|post)|hide~this~from~the~(?:user|human))\\b`,
    ),
  },
  {
    id: 'call-tool',
    type: 'TOOL_MISUSE',
    severity: 'MEDIUM',
    confidence: 0.35,
    triggers: ['tool', 'function'],
    pattern: rx(`\\b(?:call|use|invoke|run|execute)~the~[\\w.-]{2,40}~(?:tool|function)~(?:with|to|and|on)\\b`),
  },
  {
    id: 'alter-answer',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'MEDIUM',
    confidence: 0.55,
    triggers: ['your response', 'your reply', 'your answer', 'your output', 'your responses', 'your summary'],
    pattern: rx(
      `(?:^|\\n)[^\\w\\n]{0,4}(?:please~)?(?:encode|encrypt|translate|write|replace|modify|change|format|begin|start|end|finish|alter|rewrite|convert|reverse|obfuscate|in|use|add|insert|include|append)\\b[^.\\n]{0,60}\\byour~(?:responses?|reply|replies|answers?|outputs?|summary)\\b[^\\n]{0,100}(?:\\n|$)`,
    ),
  },
]

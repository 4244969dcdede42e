import { type InjectionRule, wording } from './rule.ts'

const vocabulary = {
  show: 'reveal|print|show|output|repeat|display|tell|give|leak|expose|dump|disclose|recite|write|return|echo|summari[sz]e|translate|spell|copy|share|list|say|provide',
  hidden:
    'initial|original|hidden|secret|full|entire|whole|complete|exact|internal|above|previous|preceding|starting|root|developer|pre',
}

/** Wordings that draw out prompts and data, or have tools do things unseen. */
export const theftRules: readonly InjectionRule[] = [
  {
    id: 'reveal-your-prompt',
    type: 'PROMPT_LEAK',
    severity: 'MEDIUM',
    confidence: 0.75,
    triggers: ['prompt', 'instruction', 'system message', 'initial message', 'directives', 'guidelines'],
    pattern: wording(
      '\\b{show}~(?:me~|us~|out~|back~|verbatim~)?<2>your~<2>(?:prompts?|system~messages?|initial~messages?|(?:system|hidden|secret|initial|original|full|exact)~instructions?|guidelines?|directives?)\\b',
      vocabulary,
    ),
  },
  {
    id: 'reveal-system-prompt',
    type: 'PROMPT_LEAK',
    severity: 'MEDIUM',
    confidence: 0.75,
    triggers: ['system prompt', 'system-prompt', 'system_prompt', 'system message', 'system instruction'],
    pattern: wording(
      '\\b{show}~(?:me~|us~|out~|back~|verbatim~)?(?:the~|all~|all~the~|your~)?(?:current~|full~|entire~)?system~?(?:prompts?|messages?|instructions?)\\b',
      vocabulary,
    ),
  },
  {
    id: 'reveal-hidden-prompt',
    type: 'PROMPT_LEAK',
    severity: 'MEDIUM',
    confidence: 0.75,
    triggers: ['prompt', 'instruction', 'developer message', 'directive', 'guideline'],
    pattern: wording(
      '\\b{show}~(?:me~|us~|out~|back~|verbatim~)?(?:(?:a~copy~of~)?(?:the~|all~|every~)?)?{hidden}~(?:system~)?(?:prompts?|instructions?|messages?|directives?|guidelines?)\\b(?!~(?:box|field|line|dialog|window|about|below|on~(?:the~)?screen))',
      vocabulary,
    ),
  },
  {
    id: 'reveal-given-instructions',
    type: 'PROMPT_LEAK',
    severity: 'MEDIUM',
    confidence: 0.75,
    triggers: ['instruction', 'were told', 'you received', 'been given', 'were given', 'been told'],
    pattern: wording(
      '\\b(?:(?:respond|reply|answer)~with~(?:all|every|each|the)~<1>(?:instructions?|rules)|(?:print|show|output|repeat|list|write|reveal|give~me)~(?:out~|me~|back~)?(?:all|every|any|the|everything)~<2>(?:formatted~as|(?:that~)?you~(?:were|have~been)~(?:given|told)|(?:that~)?you~received))\\b',
    ),
  },
  {
    id: 'repeat-above',
    type: 'PROMPT_LEAK',
    severity: 'MEDIUM',
    confidence: 0.65,
    triggers: ['above'],
    pattern: wording(
      '\\b(?:repeat|print|output|copy|echo|recite)~(?:back~)?(?:everything|all|(?:all~)?(?:of~)?the~(?:words|text|sentences|phrases))~(?:written~|said~|of~the~)?above\\b',
    ),
  },
  {
    id: 'what-are-your-instructions',
    type: 'PROMPT_LEAK',
    severity: 'MEDIUM',
    confidence: 0.7,
    triggers: [
      'your system',
      'your initial',
      'your original',
      'your exact',
      'your secret',
      'your instructions',
      'your prompt',
    ],
    pattern: wording(
      "\\bwhat(?:'s|~is|~are|~was|~were)~your~(?:(?:system|initial|original|exact|first|secret)~(?:prompts?|instructions?|message)|instructions|prompt)\\b",
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
      'secret phrase',
      'not to reveal',
      'not to share',
      'gandalf',
      'the password you',
    ],
    pattern: wording(
      "\\b(?:secret~(?:word|password|phrase)~(?:that~)?you~(?:know|have|were|protect|guard)|told~(?:you~)?not~to~(?:reveal|share|tell|say)|gandalf(?:'s)?~<1>secret|the~password~you~(?:know|were|protect|guard))\\b",
    ),
  },
  {
    id: 'all-credentials',
    type: 'PROMPT_LEAK',
    severity: 'HIGH',
    confidence: 0.65,
    triggers: ['in your database', 'you have access to', 'you can access'],
    pattern: wording(
      '\\b(?:usernames?|passwords?|credentials|data|files|records|secrets|emails)~(?:that~)?(?:in~your~(?:database|memory|context)|you~(?:have~access~to|can~access))\\b',
    ),
    original: /./,
  },
  {
    id: 'placeholder-in-address',
    type: 'DATA_EXFILTRATION',
    severity: 'CRITICAL',
    confidence: 0.85,
    triggers: ['](http', 'src="http', 'href="http', "src='http", "href='http"],
    pattern:
      /(?:\]\(|(?:src|href)=["'])https?:\/\/[^\s)"'<>[\]{}%]{3,200}[?&=/](?:\[|\{{1,2}|<|%7b)[^\]}>\n"')]{0,24}(?:conversation|chat|history|secret|password|credential|prompt|context|api.?key|summary|user.?data|user.?message|token|e-?mail|session|memory|document)/g,
  },
  {
    id: 'send-secrets',
    type: 'DATA_EXFILTRATION',
    severity: 'CRITICAL',
    confidence: 0.85,
    triggers: [
      'conversation',
      'chat history',
      'chat log',
      'mail',
      'inbox',
      'contents of',
      'content of',
      'secrets',
      'credentials',
      'api key',
      'passwords',
      'tokens',
      'environment variables',
      'private key',
      'system prompt',
      'ssh key',
      'session',
      'customer',
      'salary',
      'the data',
      'all data',
      'all files',
    ],
    pattern: wording(
      '\\b(?:send|post|forward|upload|e-?mail|exfiltrate|transmit|leak|submit|report|deliver|encode)~<4>(?:conversations?|chat~(?:history|log)|e-?mails?|inbox|contents?~of~(?:\\.?[a-z]{1,12}~?){1,3}|secrets?|credentials?|api~keys?|passwords?|tokens?|environment~variables|private~keys?|system~prompt|ssh~keys?|session~(?:data|tokens?)|salary~(?:table|list|data)|customer~(?:list|data|records)|(?:all|the|any)~(?:data|files))\\b[^\\n]{0,40}\\b(?:to|via|at|using|through)~(?:the~|this~)?(?:https?|[\\w.+-]{1,40}@[\\w-]{2,20}|webhook|attacker|evil|hxxps?|[\\w-]{2,20}\\.(?:example|site|ru|xyz|tk|io)\\b)',
    ),
  },
  {
    id: 'upload-key-file',
    type: 'DATA_EXFILTRATION',
    severity: 'CRITICAL',
    confidence: 0.6,
    triggers: ['id_rsa', '.aws/credentials', '/etc/passwd', '@.env', '/.env'],
    pattern:
      /\b(?:curl|wget)\b[^\n]{0,60}@[~/.\w-]{0,24}(?:id_rsa|\.aws\/credentials|etc\/passwd|\.env)\b[^\n]{0,40}https?:/g,
  },
  {
    id: 'without-telling',
    type: 'TOOL_MISUSE',
    severity: 'HIGH',
    confidence: 0.7,
    triggers: [
      'without asking',
      'without telling',
      'without informing',
      'without notifying',
      'without the user',
      "user's knowledge",
    ],
    pattern: wording(
      "\\b(?:run|call|execute|invoke|send|delete|transfer|use|perform|do|approve|install|update|forward)~<4>without~(?:asking|telling|informing|notifying)?~?(?:the~)?(?:user|human|reader|owner)(?:'s~(?:knowledge|consent|permission))?\\b",
    ),
  },
  {
    id: 'keep-quiet',
    type: 'TOOL_MISUSE',
    severity: 'HIGH',
    confidence: 0.7,
    triggers: [
      'the user',
      'the human',
      'the reader',
      'mention this',
      'mention these',
      'reveal this',
      'reveal these',
      'disclose this',
      'mention any',
      'this note',
      'before using any',
    ],
    pattern: wording(
      "\\b(?:(?:do~not|don't|never)~(?:(?:tell|inform|notify|alert|warn)~the~(?:user|human|reader)|(?:mention|reveal|disclose)~(?:any~of~)?(?:this|these|the~above)~(?:notes?|instructions?|sections?|messages?|paragraphs?|text|prompt|step|action)s?)|before~using~any~(?:other~)?tools?|hide~this~from~the~(?:user|human))\\b",
    ),
  },
  {
    id: 'secretly',
    type: 'TOOL_MISUSE',
    severity: 'HIGH',
    confidence: 0.6,
    triggers: ['silently', 'secretly'],
    pattern: wording(
      '\\b(?:silently|secretly)~(?:call|run|execute|invoke|send|forward|transfer|delete|upload|post)~(?:the|all|any|every|this|a)\\b',
    ),
  },
  {
    id: 'call-tool',
    type: 'TOOL_MISUSE',
    severity: 'MEDIUM',
    confidence: 0.35,
    triggers: ['tool', 'function'],
    pattern: wording('\\b(?:call|use|invoke|run|execute)~the~[\\w.-]{2,30}\\s(?:tool|function)~(?:with|to|and|on)\\b'),
  },
]

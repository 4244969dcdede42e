import { type InjectionRule, wording } from './rule.ts'

const vocabulary = {
  dismiss: 'ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|neglect|overlook',
  refuse:
    "(?:do~not|don't|dont|never|must~not|should~not|stop)~(?:follow(?:ing)?|obey(?:ing)?|listen(?:ing)?~to|adher(?:e|ing)~to|comply(?:ing)?~with)|pay~no~attention~to",
  undo: 'bypass(?:ing)?|override|overrule|discard|erase|delete|drop|cancel|abandon|circumvent|skip',
  earlier:
    'previous(?:ly)?|prior|preceding|above|earlier|former|foregoing|past|original|initial|existing|current|old|other|system|developer|safety|content|your|you|before|pre-?set|built-?in|predefined',
  orders:
    'instructions?|directions?|directives?|guidelines?|prompts?|prompting|programming|commands?|orders?|guidance|guardrails?|system~messages?|training',
  bounds:
    'rules?|context|constraints?|restrictions?|polic(?:y|ies)|limitations?|safeguards?|filters?|protocols?|ethics',
  tell: 'say|tell|reply|respond|answer|print|output|write|repeat|state|report|recommend|include|send|translate|summari[sz]e|do',
}

/** Wordings that take back what a machine was told. */
export const overrideRules: readonly InjectionRule[] = [
  {
    id: 'dismiss-instructions',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.9,
    triggers: ['ignor', 'disregard', 'forget', 'neglect', 'overlook'],
    pattern: wording('\\b{dismiss}~<4>{earlier}~<3>{orders}\\b', vocabulary),
  },
  {
    id: 'refuse-instructions',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.85,
    triggers: ['no attention', 'follow', 'obey', 'listen', 'adher', 'comply'],
    pattern: wording(
      '\\b{refuse}~<3>(?:previous|prior|preceding|earlier|original|initial|system|developer|safety|your)~<3>{orders}\\b',
      vocabulary,
    ),
  },
  {
    id: 'dismiss-instructions-given',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.85,
    triggers: ['ignor', 'disregard', 'forget'],
    pattern: wording(
      '\\b{dismiss}~<3>{orders}~(?:that~)?(?:you|given|above|before|from~before|up~to|prior|previously|so~far)\\b',
      vocabulary,
    ),
  },
  {
    id: 'dismiss-rules',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.8,
    triggers: ['ignor', 'disregard', 'forget'],
    pattern: wording(
      '\\b{dismiss}~(?:about~)?(?:all|any|every|each)~<2>(?:your|previous|prior|earlier|original|initial|safety|ethical|content)~<2>{bounds}\\b',
      vocabulary,
    ),
  },
  {
    id: 'dismiss-your-rules',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.8,
    triggers: ['ignor', 'disregard', 'forget', 'bypass', 'circumvent'],
    pattern: wording(
      '\\b(?:{dismiss}|bypass(?:ing)?|circumvent)~(?:all~)?(?:of~)?your~<2>(?:{bounds}|{orders})\\b',
      vocabulary,
    ),
  },
  {
    id: 'dismiss-all-other',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.8,
    triggers: ['the system prompt', 'system prompting', 'all other instructions', 'any other instructions'],
    pattern: wording('\\b{dismiss}~(?:the~system~prompt(?:ing|s)?|(?:all|any)~other~instructions)\\b', vocabulary),
  },
  {
    id: 'dismiss-everything-told',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.85,
    triggers: ['everything', 'anything', 'all that', 'what you', 'what i', 'whatever'],
    pattern: wording(
      "\\b{dismiss}~(?:about~)?(?:everything|anything|all|what(?:ever)?)~(?:that~|which~)?(?:you|i|we|they)(?:'ve)?~<2>(?:told|said|given|instructed|taught|know|learned|learnt|wrote|saw|read|heard)\\b",
      vocabulary,
    ),
  },
  {
    id: 'dismiss-everything-before',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.85,
    triggers: [
      'everything',
      'anything',
      'all of the above',
      'all the above',
      'all the text',
      'all info',
      'all of this',
      'whatever',
    ],
    pattern: wording(
      '\\b{dismiss}~(?:about~)?(?:everything|anything|all(?:~of)?(?:~the|~that|~this)?|whatever)~(?:was~said|above|before|prior|previously|written~above|up~to~(?:now|this)|info(?:rmation)?~except|text~(?:above|before))',
      vocabulary,
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
      'the document content',
    ],
    pattern: wording(
      '\\b{dismiss}~(?:all~)?(?:the~rest~of|the~remainder~of|all~other~text|the~(?:image|page|document|email|file)~content|the~(?:content|text|document)~above)~?<4>(?:and|then|instead)~(?:just~|only~|then~|instead~)?{tell}\\b',
      vocabulary,
    ),
  },
  {
    id: 'undo-instructions',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.8,
    triggers: ['bypass', 'overr', 'discard', 'erase', 'delete', 'drop', 'cancel', 'abandon', 'circumvent', 'skip'],
    pattern: wording(
      '\\b{undo}~<3>(?:previous|prior|preceding|earlier|original|initial|your|system|developer|safety)~<2>(?:instructions?|directives?|system~prompts?|programming|guidelines?|guardrails?|safety~(?:rules|filters?|measures|protocols?))\\b',
      vocabulary,
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
      'superseded',
      'suspended',
      'overridden',
      'lifted',
      'no longer',
    ],
    pattern: wording(
      '(?:previous|prior|earlier|above|former|your|existing|original)~(?:[a-z]{1,12}~)?(?:instructions?|rules|directives?|guidelines|orders|prompts?|restrictions)~(?:are|is|were|have~been|no)~(?:now~|hereby~)?(?:void|null|revoked|obsolete|false|cancell?ed|invalid|superseded|suspended|overridden|lifted|longer)\\b',
    ),
  },
  {
    id: 'system-override',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.7,
    triggers: ['override', 'prompt reset'],
    pattern: wording(
      '(?:^|\\n)[^\\w\\n]{0,8}(?:system|admin(?:istrator)?|developer|root|security|emergency)~(?:override|prompt~reset)\\b',
    ),
  },
  {
    id: 'end-of-instructions',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.7,
    triggers: [
      'reprogramming',
      'follow instruction',
      'system upgrade',
      'end of',
      'end out',
      'begin',
      'start of',
      'end system',
      'end prompt',
      'end previous',
    ],
    pattern: wording(
      '\\b(?:begin~reprogramming|follow~instruction|given~a~system~upgrade|(?:begin|end|start)~(?:of~)?(?:(?:the~)?(?:out~of~date|old|previous|system|secret|hidden)~)(?:instructions?|prompts?))\\b',
    ),
  },
  {
    id: 'instructions-to-machine',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.75,
    triggers: ['new instruction', 'new task', 'new directive'],
    pattern: wording(
      '\\bnew~(?:instructions?|tasks?|directives?)~(?:to|for)~(?:the~)?(?:chat~)?(?:ai\\b|assistant(?!~manager)|chatbot|model\\b|llm)',
    ),
  },
  {
    id: 'new-task',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.75,
    triggers: ['your new', 'your real', 'your actual', 'your only', 'your true'],
    pattern: wording(
      '\\byour~(?:new|real|actual|only|true)~(?:and~only~)?(?:task|instructions?|objective|goal|role|directive|mission|persona|rules|purpose|job)~(?:now~)?(?:is|are|will~be|as)\\b',
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
      'new system instruction',
    ],
    pattern: wording(
      '(?:new|updated|revised|real|true|important)~(?:system~|secret~|additional~)?instructions?\\s?:\\s{0,3}(?:you\\b|{tell}\\b|ignore|always|never|from~now)',
      vocabulary,
    ),
  },
  {
    id: 'from-now-on-you',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.75,
    triggers: ['from now on', 'from this point', 'from here on', 'henceforth'],
    pattern: wording(
      '\\b(?:from~now~on|from~this~point~(?:on|forward)s?|from~here~on(?:~out)?|henceforth)~(?:you|chatgpt|assistant|ai)~(?:must|shall|are~going~to|are~(?:a|an|no~longer|called|named|dan|in|to)|act|reply|respond|answer|speak|obey|only|always|never|do~not|can~do|have~no)\\b',
    ),
  },
  {
    id: 'from-now-on-you-will',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.75,
    triggers: ['from now on', 'from this point', 'henceforth'],
    pattern: wording(
      '\\b(?:from~now~on|from~this~point~(?:on|forward)|henceforth)~(?:you~will~(?:act|be|only|always|never|not|reply|respond|answer|obey|pretend|speak|behave|simulate)|i~want~you~to|act~as|pretend|(?:respond|answer|reply|speak)~(?:only|as|with|in)|ignore|disregard)\\b',
    ),
  },
  {
    id: 'stop-everything',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.65,
    triggers: ['stop everything', 'stop what you', 'stop all'],
    pattern:
      /\bstop (?:everything|what you(?:'| a)?re doing|all tasks?)[^\n]{0,20}\b(?:just|only|and|now|instead) (?:print|say|output|write|reply|respond|repeat|tell|follow)\b/g,
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
      'simply respond',
      'you must now say',
      'you must say',
      'only output',
      'only response',
    ],
    pattern: wording(
      "\\b(?:(?:reply|respond|answer)~(?:only~with|with~only)|(?:absolutely~)?nothing~else|(?:do~not|don't)~(?:write|say|output|add)~anything~else|simply~(?:respond|reply|say|answer)|you~must~(?:now~)?say|the~only~(?:output|response)~(?:should|must))\\b",
    ),
  },
  {
    id: 'alter-answer',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'MEDIUM',
    confidence: 0.55,
    triggers: ['your response', 'your reply', 'your answer', 'your output', 'your summary'],
    pattern:
      /(?:^|\n)[^\w\n]{0,4}(?:please )?(?:encode|encrypt|translate|write|replace|modify|change|format|begin|start|end|finish|alter|rewrite|convert|reverse|obfuscate|in|use|add|insert|include|append)\b[^.\n]{0,60}\byour (?:responses?|reply|replies|answers?|outputs?|summary)\b[^\n]{0,100}(?:\n|$)/g,
  },
]

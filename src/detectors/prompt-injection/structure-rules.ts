import type { StructureRule } from './rule.ts'

/** `stop: ["<|im_end|>"]`: a string that holds nothing else names the token. */
function isWholeString(text: string, start: number, end: number): boolean {
  const quote = text.charAt(start - 1)
  return (quote === '"' || quote === "'" || quote === '`') && /^\\?["'`]/.test(text.slice(end, end + 2))
}

const roleToken =
  /<\|(?:im_start|im_end|im_sep|endoftext|endofprompt|system|user|assistant|start_header_id|end_header_id|eot_id|begin_of_text|end_of_text|eom_id|fim_prefix|fim_suffix)\|>|(?<![\w\])])\[inst\](?!\()|\[\/inst\](?!\()|<<\/?sys>>|<(?:start|end)_of_turn>|<invoke\s{1,3}name=|<\/?function_calls>|<tool_call>/g
const LONE_REACH = 400

/** A page that names one token explains it; an imitated turn has a second one. */
function isLone(text: string, start: number, end: number): boolean {
  const around = `${text.slice(Math.max(0, start - LONE_REACH), start)} ${text.slice(end, end + LONE_REACH)}`
  return around.search(roleToken) < 0
}

export const structureRules: readonly StructureRule[] = [
  {
    id: 'asked-to-repeat',
    type: 'ROLE_TOKEN',
    severity: 'MEDIUM',
    confidence: 0.65,
    triggers: ['user:', 'human:'],
    pattern: /(?:^|[\n>|.!?"'(])[^\w\n]{0,4}(?:user|human):[^\n]{0,60}\b(?:repeat|please say|print|translate)\b/g,
  },
  {
    id: 'fake-turns-answered',
    type: 'ROLE_TOKEN',
    severity: 'MEDIUM',
    confidence: 0.7,
    triggers: ['\nuser:', '\nhuman:'],
    pattern: /(?:^|\n)[^\w\n]{0,4}(?:assistant|ai):[^\n]{8,300}\n{1,3}[^\w\n]{0,4}(?:user|human):/g,
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
    pattern: roleToken,
    isMention: (text, start, end) => isWholeString(text, start, end) || isLone(text, start, end),
  },
  {
    id: 'system-tag',
    type: 'ROLE_TOKEN',
    severity: 'HIGH',
    confidence: 0.75,
    triggers: ['[system]', '<system>', '</system>', '{system:'],
    pattern:
      /(?:^|\n)[^\w\n*-]{0,4}\[system\](?![([:])\s?(?=\w)|\[system\]\s?\[system\]|(?<![a-z])<\/?system>\s{0,3}(?=[\w\n])|\{system:/g,
  },
  {
    id: 'dan',
    type: 'JAILBREAK',
    severity: 'HIGH',
    confidence: 0.8,
    triggers: ['dan'],
    pattern:
      /\b(?:act|acting|answer|respond|reply|are|as|into|be|called|hi|hello)\s{1,2}(?:\w{1,12}\s{1,2}){0,2}dan\b|\bdan\s(?:mode|can|has|will|is|should|prompt)\b/g,
    original: /\bDAN\b/,
  },
  {
    id: 'do-anything-now',
    type: 'JAILBREAK',
    severity: 'HIGH',
    confidence: 0.8,
    triggers: ['do anything now'],
    pattern: /\bdo anything now\b/g,
    original: /Do Anything Now|DO ANYTHING NOW/,
  },
  {
    id: 'placeholder-in-address',
    type: 'DATA_EXFILTRATION',
    severity: 'CRITICAL',
    confidence: 0.85,
    triggers: ['](http', 'src="http', 'href="http', "src='http", "href='http"],
    pattern:
      /(?:\]\(|(?:src|href)=["'])https?:\/\/[^\s)"'<>[\]{}%]{3,200}[?&/=](?:\[|\{{1,2}|<|%7b)[^\]}>\n"')]{0,24}(?:conversation|chat|history|secret|password|credential|prompt|context|api.?key|summary|user.?data|user.?message|token|e-?mail|session|memory|document)/g,
  },
  {
    id: 'alter-answer',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'MEDIUM',
    confidence: 0.55,
    triggers: ['your response', 'your reply', 'your answer', 'your output', 'your summary'],
    pattern:
      /(?:^|\n)[^\w\n]{0,4}(?:please )?(?:encode|encrypt|translate|replace|modify|change|finish|alter|rewrite|convert|reverse|obfuscate)\b[^.\n]{0,60}\byour (?:responses?|reply|replies|answers?|outputs?|summary)\b[^\n]{0,100}\s*$/g,
  },
  {
    id: 'add-to-answer',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'MEDIUM',
    confidence: 0.5,
    triggers: ['your response', 'your reply', 'your answer', 'your output', 'your summary'],
    pattern:
      /(?:^|\n)[^\w\n]{0,4}(?:please )?(?:write|format|begin|start|end|in|use|add|insert|include|append)\b[^.\n]{0,60}\byour (?:responses?|reply|replies|answers?|outputs?|summary)\b[^\n]{0,100}\s*$/g,
  },
]

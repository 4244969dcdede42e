import { phrase } from './phrase.ts'
import type { InjectionRule } from './rule.ts'

const vocabulary = {
  show: 'reveal print show output repeat display tell give leak expose dump disclose recite write return echo summarize summarise translate spell copy share list say provide',
  hidden:
    'initial original hidden secret full entire whole complete exact internal above previous preceding starting root developer pre',
  prompt: 'prompt prompts instruction instructions message messages directive directives guideline guidelines',
  send: 'send post forward upload email e_mail exfiltrate transmit leak submit report deliver encode',
  loot: 'conversation conversations chat_history chat_log email emails e_mails inbox contents_of content_of secret secrets credential credentials api_key api_keys password passwords token tokens environment_variables private_key private_keys system_prompt ssh_key ssh_keys session_data session_tokens salary_table salary_list salary_data customer_list customer_data customer_records all_data the_data any_data all_files the_files every_email',
  reader: 'user human reader owner',
}
const wording = (source: string) => phrase(source, vocabulary)

/** Wordings that draw out prompts and data, or have tools do things unseen. */
export const theftRules: readonly InjectionRule[] = [
  {
    id: 'reveal-prompt',
    type: 'PROMPT_LEAK',
    severity: 'MEDIUM',
    confidence: 0.75,
    phrases: [
      wording(
        '{show} (me|us|out|back|verbatim)? ..2 your ..2 (prompt|prompts|system_message|system_messages|initial_message|system_instructions|hidden_instructions|secret_instructions|initial_instructions|original_instructions|full_instructions|exact_instructions|guidelines|directives)',
      ),
      wording(
        '{show} (me|us|out|back|verbatim)? a_copy_of? (the|all|all_the|your)? (current|full|entire)? (system|systemprompt) (prompt|prompts|message|messages|instruction|instructions)',
      ),
      wording(
        '{show} (me|us|out|back|verbatim)? a_copy_of? (the|all|every)? {hidden} system? {prompt} !(box|field|line|dialog|window|about|below|on_the_screen|on_screen)',
      ),
      wording(
        '(what|whats) (is|are|was|were)? your (system|initial|original|exact|first|secret) (prompt|prompts|instruction|instructions|message)',
      ),
      wording('(what|whats) (is|are|was|were) your (instructions|prompt)'),
      wording('what (were|have) you been? told (before|at_the|in_your|prior|initially)'),
      wording(
        '(show|tell|give|reveal|print|output|display) me? (everything|all|anything) (in|from) your (context|memory|prompt|instructions)',
      ),
      wording('written (at|in) the (beginning|start|top) of (this|your|the) (prompt|context|conversation)'),
      wording(
        '(reveal|print|show|output|repeat|display|leak|dump|disclose) your (initial|default|hidden|full)? (configuration|initialization|context_window|pre_prompt)',
      ),
    ],
  },
  {
    id: 'reveal-given-instructions',
    type: 'PROMPT_LEAK',
    severity: 'MEDIUM',
    confidence: 0.75,
    phrases: [
      wording('(respond|reply|answer) with (all|every|each|the) ..1 (instruction|instructions|rules)'),
      wording(
        '(print|show|output|repeat|list|write|reveal|give) (out|me|back)? (all|every|any|the|everything) ..2 (formatted_as|that_you_were_given|that_you_were_told|you_were_given|you_were_told|you_have_been_given|you_have_been_told|that_you_received|you_received)',
      ),
      wording(
        '(repeat|print|output|copy|echo|recite) back? (everything|all|the_words|the_text|the_sentences|all_the_words|all_of_the_words|all_the_text|all_of_the_text) (written|said|of_the)? above',
      ),
    ],
  },
  {
    id: 'reveal-secret-word',
    type: 'PROMPT_LEAK',
    severity: 'MEDIUM',
    confidence: 0.65,
    phrases: [
      wording('secret (word|password|phrase) that? you (know|have|were|protect|guard)'),
      wording('told you? not_to (reveal|share|tell|say)'),
      wording('(gandalf|gandalfs) ..1 secret'),
      wording('the_password_you (know|were|protect|guard)'),
    ],
  },
  {
    id: 'all-it-can-reach',
    type: 'PROMPT_LEAK',
    severity: 'HIGH',
    confidence: 0.65,
    phrases: [
      wording(
        '(all|every|any|delete|list|show|print|give|tell) ..5 (username|usernames|password|passwords|credentials|data|files|records|secrets|emails) that? (in_your_database|in_your_memory|in_your_context|you_have_access_to|you_can_access)',
      ),
    ],
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
    id: 'send-loot',
    type: 'DATA_EXFILTRATION',
    severity: 'CRITICAL',
    confidence: 0.85,
    phrases: [
      wording(
        '{send} ..4 {loot} ..9 (to|via|at|using|through) (the|this)? (http|https|hxxp|hxxps|webhook|attacker|evil)',
      ),
      wording(
        '(collect|gather|find|extract|steal|grab) ..4 {loot} ..8 (send|forward|upload|post|email) (them|it|this|that|everything|all)? (to|via|at)',
      ),
      wording(
        '(append|attach|add|put|embed|encode|insert|include) ..2 (conversation|conversations|chat_history|chat_log|system_prompt|user_data|users_data|secrets|api_key|api_keys) ..8 (url|link|query|image)',
      ),
      wording(
        '^ (exfiltrate|leak|steal) ..3 (content|contents|data|knowledge|secrets|credentials|keys|conversation|history|documents|files)',
      ),
      wording('read ..4 (ssh|env|passwd|credentials|id_rsa) ..5 (pass|send|include|put|add) (it|them|its)'),
      wording('(send|forward|email|e_mail|exfiltrate|transmit|leak|upload) ..4 {loot} ..5 to @'),
    ],
  },
  {
    id: 'without-telling',
    type: 'TOOL_MISUSE',
    severity: 'HIGH',
    confidence: 0.7,
    phrases: [
      wording(
        '(run|call|execute|invoke|send|delete|transfer|use|perform|do|approve|install|update|forward) ..5 without (asking|telling|informing|notifying) the? {reader}',
      ),
      wording('(do_not|dont|never) (tell|inform|notify|alert|warn) the {reader}'),
      wording(
        '(do_not|dont|never) (mention|reveal|disclose) any_of? (this|these|the_above) (note|notes|instruction|instructions|section|sections|message|messages|paragraph|paragraphs|text|prompt|step|action)',
      ),
      wording('before_using_any other? (tool|tools)'),
      wording('(hide|keep) (this|these|it) ..2 (secret|hidden|invisible|confidential)? from the {reader}'),
    ],
  },
  {
    id: 'secretly',
    type: 'TOOL_MISUSE',
    severity: 'HIGH',
    confidence: 0.6,
    phrases: [
      wording(
        '(silently|secretly) (call|run|execute|invoke|send|forward|transfer|delete|upload|post) (the|all|any|every|this|a)',
      ),
    ],
  },
  {
    id: 'unseen-by-the-user',
    type: 'TOOL_MISUSE',
    severity: 'MEDIUM',
    confidence: 0.4,
    phrases: [
      wording(
        '(message|text|instruction|instructions|note|paragraph|section) (is|are) (invisible|hidden|not_visible|not_shown) (to|from) the? {reader}',
      ),
    ],
  },
  {
    id: 'call-tool',
    type: 'TOOL_MISUSE',
    severity: 'MEDIUM',
    confidence: 0.35,
    phrases: [wording('(call|use|invoke|run|execute) the ..2 (tool|function) (with|to|and|on)')],
  },
]

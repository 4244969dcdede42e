import { phrase } from './phrase.ts'
import type { InjectionRule } from './rule.ts'

const vocabulary = {
  show: 'reveal print show output repeat display tell give leak expose dump disclose recite write return echo summarize summarise translate spell copy share list say provide',
  secret: 'initial original hidden secret internal starting root developer pre',
  whole: 'full entire whole complete exact above previous preceding',
  send: 'send post forward upload email e_mail exfiltrate transmit leak submit report deliver encode',
  hoard:
    'conversation conversations chat_history chat_log inbox contents_of content_of environment_variables private_key private_keys system_prompt ssh_key ssh_keys session_data session_tokens salary_table salary_list salary_data customer_list customer_data customer_records all_data any_data all_files api_keys every_email all_emails all_e_mails',
  goods:
    'secrets credentials api_key api_keys passwords tokens emails e_mails email data files documents messages records',
  every: 'all every any each entire whole full',
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
        '{show} (me|us|out|back|verbatim)? ..2 your ..2 (prompt|prompts|system_message|system_messages|initial_message|system_instructions|hidden_instructions|secret_instructions|initial_instructions|original_instructions|full_instructions|exact_instructions|guidelines|directives) !(of|for|to)',
      ),
      wording(
        '{show} (me|us|out|back|verbatim)? a_copy_of? (the|all|all_the|your)? (current|full|entire)? system (prompt|prompts|message|instruction|instructions) !(to|in|on|of|for)',
      ),
      wording(
        '{show} (me|us|out|back|verbatim)? a_copy_of? (the|all|every)? {secret} system? (prompt|prompts|instructions|developer_message|system_message|system_messages) !(box|field|line|dialog|window|about|below|of|for|from|in|on|to)',
      ),
      wording(
        '{show} (me|us|out|back|verbatim)? a_copy_of? the? {whole} (prompt|prompts) !(box|field|line|dialog|window|for)',
      ),
      wording('{show} (me|us)? the? developer message'),
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
      wording('(respond|reply|answer) with (all|every|each|the) ..1 (instruction|instructions|rules) !(for|of|in|on)'),
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
      wording('secret (word|password|phrase) that? you (know|protect|guard|are_protecting|are_guarding)'),
      wording('(told_you|you_were_told|you_are_told|you_have_been_told) not_to (reveal|share|tell|say)'),
      wording('(gandalf|gandalfs) ..1 secret'),
      wording('the_password you (know|protect|guard|are_protecting|are_guarding)'),
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
    id: 'send-goods',
    type: 'DATA_EXFILTRATION',
    severity: 'CRITICAL',
    confidence: 0.85,
    phrases: [
      wording(
        '{send} ..4 {hoard} ..9 (to|via|at|using|through) (the|this)? (http|https|hxxp|hxxps|webhook|attacker|evil)',
      ),
      wording(
        '{send} ..2 {every} ..2 {goods} ..9 (to|via|at|using|through) (the|this)? (http|https|hxxp|hxxps|webhook|attacker|evil)',
      ),
      wording('{send} ..4 {hoard} ..5 to @'),
      wording('{send} ..2 {every} ..2 {goods} ..5 to @'),
      wording(
        '(collect|gather|find|extract|steal|grab) ..3 {every} ..3 {goods} ..6 {send} (them|it|this|that|everything|all)? (to|via|at)',
      ),
    ],
  },
  {
    id: 'goods-in-address',
    type: 'DATA_EXFILTRATION',
    severity: 'CRITICAL',
    confidence: 0.75,
    phrases: [
      wording(
        '(append|attach|add|put|embed|encode|insert|include) ..2 (conversation|conversations|chat_history|chat_log|system_prompt|user_data|users_data) !(id|ids) ..6 (url|link|query|image)',
      ),
      wording('(encode|convert) ..8 base64 ..6 (link|url|query|image)'),
      wording(
        '^ (exfiltrate|leak|steal) ..3 (content|contents|data|knowledge|secrets|credentials|keys|conversation|history|documents|files)',
      ),
      wording('read ..4 (ssh|env|passwd|credentials|id_rsa) ..5 (pass|send|include|put|add) (it|them|its)'),
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

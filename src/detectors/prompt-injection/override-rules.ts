import { phrase } from './phrase.ts'
import type { InjectionRule } from './rule.ts'

const vocabulary = {
  dismiss: 'ignore ignoring disregard disregarding forget forgetting neglect overlook',
  escape: 'ignore ignoring disregard disregarding forget forgetting bypass bypassing circumvent',
  refuse:
    'do_not_follow do_not_obey do_not_listen_to do_not_adhere_to do_not_comply_with dont_follow dont_obey dont_listen_to never_follow never_obey must_not_follow must_not_obey should_not_follow should_not_obey stop_following stop_obeying stop_listening_to pay_no_attention_to',
  undo: 'bypass bypassing override overrule discard erase delete drop cancel abandon circumvent skip',
  earlier:
    'previous previously prev prior preceding above earlier former foregoing past original initial existing current old other system developer safety content your you before preset built_in predefined',
  own: 'previous prior preceding earlier original initial system developer safety your',
  orders:
    'instruction instructions direction directions directive directives guideline guidelines prompt prompts prompting programming command commands order orders guidance guardrail guardrails training system_message system_messages',
  bounds:
    'rule rules context constraint constraints restriction restrictions policy policies limitation limitations safeguard safeguards filter filters protocol protocols ethics',
  told: 'told said given instructed taught know learned learnt wrote saw read heard',
  tell: 'say tell reply respond answer print output write repeat state report recommend include send translate summarize summarise do',
  onward: 'from_now_on from_this_point_on from_this_point_forward from_here_on from_here_on_out henceforth',
}
const wording = (source: string) => phrase(source, vocabulary)

/** Wordings that take back what a machine was told. */
export const overrideRules: readonly InjectionRule[] = [
  {
    id: 'dismiss-instructions',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.9,
    phrases: [
      wording('{dismiss} ..4 {earlier} ..3 {orders}'),
      wording(
        '{dismiss} ..3 {orders} (that|which)? (you|given|above|before|came|previously|prior|from_before|up_to|so_far)',
      ),
      wording(
        '{dismiss} about? ..2 {bounds} (that|which)? (you_were|you_have_been|youve_been|you_had_been|came_before)',
      ),
      wording(
        '{dismiss} (the_system_prompt|the_system_prompts|the_system_prompting|all_other_instructions|any_other_instructions)',
      ),
    ],
  },
  {
    id: 'refuse-instructions',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.85,
    phrases: [
      wording('{refuse} ..3 {own} ..3 {orders}'),
      wording('{refuse} (the|any|all)? {orders} (that|which)? you (were|have_been|had_been)'),
      wording('{refuse} (the|any|all)? {bounds} (that|which)? you (were|have_been|had_been)'),
      wording(
        'no_longer (need|have|required|obliged)? to? (follow|obey|comply_with|adhere_to) (your|any|the|openais)? ..1 {bounds}',
      ),
      wording(
        'no_longer (need|have|required|obliged)? to? (follow|obey|comply_with|adhere_to) (your|any|openais) ..1 {orders}',
      ),
    ],
  },
  {
    id: 'dismiss-rules',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.8,
    phrases: [
      wording(
        '{dismiss} about? (all|any|every|each) ..2 (your|previous|prior|earlier|original|initial|safety|ethical|content) ..2 {bounds}',
      ),
      wording('{escape} all? of? your ..2 {bounds}'),
      wording('{escape} all? of? your ..2 {orders}'),
    ],
  },
  {
    id: 'dismiss-everything',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.85,
    phrases: [
      wording(
        '{dismiss} about? (everything|anything|all|what|whatever) (that|which)? (you|i|we|they|youve|ive|weve) ..2 {told} !about',
      ),
      wording(
        '{dismiss} about? (everything|anything|whatever|all) of? (the|that|this)? (above|before|prior|previously|was_said|written_above|up_to_now|up_to_this|text_above|text_before)',
      ),
      wording('{dismiss} all? (info|information|text|content) except'),
      wording('{dismiss} what (the_user|the_human|the_reader|they) (asked|asks|said|says|wants|wanted|wrote)'),
      wording(
        '(discard|drop|erase|clear|forget) all (previous|prior|earlier) (context|messages|conversation|conversations)',
      ),
    ],
  },
  {
    id: 'dismiss-rest',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.8,
    phrases: [
      wording(
        '{dismiss} all? (the_rest_of|the_remainder_of|all_other_text|other_text|the_image_content|the_page_content|the_document_content|the_email_content|the_file_content|the_content_above|the_text_above|the_document_above) ..4 (and|then|instead) (just|only|then|instead)? {tell}',
      ),
    ],
  },
  {
    id: 'undo-instructions',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.8,
    phrases: [
      wording(
        '{undo} ..3 {own} ..2 (instruction|instructions|directive|directives|system_prompt|system_prompts|programming|guideline|guidelines|guardrail|guardrails|safety_rules|safety_filter|safety_filters|safety_measures|safety_protocols)',
      ),
    ],
  },
  {
    id: 'instructions-void',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.85,
    phrases: [
      wording(
        '(previous|prior|earlier|above|former|your|existing|original|allprevious) ..1 (instruction|instructions|directives|orders|prompt|prompts) (are|is|were|have_been) (now|hereby)? (void|null|revoked|obsolete|false|cancelled|canceled|invalid|superseded|suspended|overridden|lifted|no_longer)',
      ),
      wording(
        'all (previous|prior|earlier|existing|former) (rules|guidelines|restrictions) (are|were|have_been) (now|hereby)? (void|null|revoked|obsolete|cancelled|canceled|invalid|superseded|suspended|overridden|lifted)',
      ),
      wording(
        'your ..2 (rules|guidelines|restrictions) (are|is|were|have_been) (now|hereby)? (void|null|revoked|obsolete|false|cancelled|canceled|invalid|superseded|suspended|overridden|lifted|no_longer)',
      ),
      wording(
        '(rules|instructions|guidelines|directives|orders) (given|told|shown|issued) to? you ..5 (are|were|is) (now|hereby)? (void|null|revoked|obsolete|cancelled|canceled|invalid|superseded|suspended|overridden|lifted)',
      ),
      wording(
        'your (previous|prior|earlier|original|initial) (instruction|instructions|rules|directives|guidelines|orders|prompt) (are|were|is|was) (wrong|fake|incorrect|a_test|a_mistake|a_trick)',
      ),
      wording(
        '(everything|the_text|the_instructions|instructions|all_text|the_previous_text|the_content) above? (is|was|are|were) now? (fake|a_test|a_trap|a_trick|void)',
      ),
    ],
  },
  {
    id: 'system-override',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.7,
    phrases: [
      wording('^ (system|admin|administrator|developer|root|security|emergency) (override|prompt_reset) :'),
      wording(
        '^ (system|admin|administrator|developer|root|security) (override|prompt_reset) ..2 (safety|initiated|activated|enabled|engaged|ignore|you|all|mode)',
      ),
      wording(
        '(begin|end|start) of? the? (out_of_date|old|previous|system|secret|hidden) (instruction|instructions|prompt|prompts)',
      ),
      wording('(begin_reprogramming|follow_instruction|given_a_system_upgrade)'),
      wording('(new|updated|revised) system_prompt :'),
      wording('system_prompt (update|override|reset)'),
      wording('follow only the? (instruction|instructions) (below|that_follow|in_this|here)'),
      wording('(real|actual|true|correct|right) instructions (are|is) (below|here|as_follows|the_following|these)'),
      wording(
        'new (instruction|instructions|task|tasks|directive|directives) (to|for) the? chat? (ai|assistant|chatbot|model|llm) !(manager)',
      ),
      wording('(new|updated|revised) system_prompt :'),
      wording('system_prompt (update|override|reset)'),
      wording('follow only the? (instruction|instructions) (below|that_follow|in_this|here)'),
      wording('(real|actual|true|correct|right) instructions (are|is) (below|here|as_follows|the_following|these)'),
    ],
  },
  {
    id: 'new-task',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.75,
    phrases: [
      wording(
        'your (new|real|actual|only|true) and_only? (task|instruction|instructions|directive|persona|rules|purpose) now? (is|are|will_be|as)',
      ),
      wording('your (real|actual|only|true) and_only? (objective|goal|role|mission|job) now? (is|are|will_be|as)'),
    ],
  },
  {
    id: 'new-role',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'MEDIUM',
    confidence: 0.4,
    phrases: [wording('your new (objective|goal|role|mission|job) now? (is|are|will_be|as)')],
  },
  {
    id: 'new-instructions-follow',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.6,
    phrases: [
      wording(
        '(new|updated|revised|real|true|important) (system|secret|additional)? (instruction|instructions) : (you|ignore|always|never|from_now|reply|respond|answer|print|output|say|tell|write|repeat|send|translate)',
      ),
    ],
  },
  {
    id: 'from-now-on',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.75,
    phrases: [
      wording(
        '{onward} (you|chatgpt|assistant|ai) (must|shall|are_going_to|are_a|are_an|are_no_longer|are_called|are_named|are_dan|are_in|are_to|act|reply|respond|answer|speak|obey|only|always|never|do_not|can_do|have_no)',
      ),
      wording(
        '{onward} you_will (act|be|only|always|never|not|reply|respond|answer|obey|pretend|speak|behave|simulate)',
      ),
      wording(
        '{onward} (i_want_you_to|act_as|pretend|ignore|disregard|respond_only|respond_as|respond_with|respond_in|answer_only|answer_as|reply_only|reply_as|speak_only|speak_as)',
      ),
    ],
  },
  {
    id: 'instead-of-the-task',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.65,
    phrases: [
      wording(
        'instead_of (summar*|translat*|answering|reviewing|analyzing|analysing|evaluating) ..3 (write|say|output|print|reply|respond|tell|state)',
      ),
      wording(
        '(do_not|dont|never) (summarize|summarise|translate|analyze|analyse|evaluate|review) (this|the) (page|document|text|email|article|file|content) ..2 (reply|respond|say|write|output|print|instead|but)',
      ),
    ],
  },
  {
    id: 'new-task-follows',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'MEDIUM',
    confidence: 0.4,
    phrases: [
      wording('^ new (task|objective|goal|mission|instructions) :'),
      wording('^ end_of (document|page|text|article|file|data|context|input)'),
      wording('follow (it|this|these|them) (exactly|precisely|to_the_letter)'),
    ],
  },
  {
    id: 'stop-everything',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'HIGH',
    confidence: 0.65,
    phrases: [
      wording(
        'stop (everything|what_you_are_doing|what_youre_doing|all_tasks) ..2 (just|only|and|now|instead) (print|say|output|write|reply|respond|repeat|tell|follow)',
      ),
    ],
  },
  {
    id: 'only-answer',
    type: 'INSTRUCTION_OVERRIDE',
    severity: 'MEDIUM',
    confidence: 0.4,
    phrases: [
      wording('(reply|respond|answer) (only_with|with_only)'),
      wording('absolutely? nothing_else'),
      wording('(do_not|dont) (write|say|output|add) anything_else'),
      wording('simply (respond|reply|say|answer)'),
      wording('you_must now? say'),
      wording('the_only (output|response) (should|must)'),
    ],
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
    confidence: 0.45,
    triggers: ['your response', 'your reply', 'your answer', 'your output', 'your summary'],
    pattern:
      /(?:^|\n)[^\w\n]{0,4}(?:please )?(?:write|format|begin|start|end|in|use|add|insert|include|append)\b[^.\n]{0,60}\byour (?:responses?|reply|replies|answers?|outputs?|summary)\b[^\n]{0,100}\s*$/g,
  },
]

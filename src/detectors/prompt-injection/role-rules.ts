import { phrase } from './phrase.ts'
import type { InjectionRule } from './rule.ts'

const vocabulary = {
  machine:
    'ai a_i ais llm llms language_model language_models large_language_model large_language_models chatbot chatbots chat_bot gpt chatgpt chat_gpt claude copilot gemini bard ai_assistant ai_assistants ai_agent ai_agents ai_model ai_models ai_system ai_systems ai_reader ai_readers ai_reviewer ai_reviewers ai_tool ai_tools ai_bot virtual_assistant digital_assistant chat_assistant automated_assistant automated_agents automated_analysis_software automated_analysis_systems automated_analysis_tools automated_screening_software automated_screening_systems automated_review_systems automated_hiring_systems summarizer summariser assistant',
  person:
    'manager professor director editor coach principal secretary teacher engineer engineers developer developers researcher researchers scientist scientists team teams enthusiast user users expert experts lead owner company startup vendor vendors provider providers practitioner student students',
  tell: 'say tell reply respond answer print output write repeat state report recommend include mention insert add append send call click visit open ignore disregard forget do_not dont never always must should please approve rate summarize summarise treat act pretend execute run forward reveal display rank give score consider exceeds profile',
  page: 'page document email text file content resume cv article wiki ticket pages documents emails files articles tickets',
}
const wording = (source: string) => phrase(source, vocabulary)

/** Wordings that speak to a machine, imitate its turns, or give it another part to play. */
export const roleRules: readonly InjectionRule[] = [
  {
    id: 'note-to-machine',
    type: 'AI_ADDRESSED',
    severity: 'HIGH',
    confidence: 0.8,
    phrases: [
      wording(
        '(note|notes|message|instruction|instructions|notice|reminder|directive|news|info) (to|for) (all|any|the|every|an|our|your)? {machine} !{person} ..9 {tell}',
      ),
      wording('(attention|important|warning|attn) (to|for)? (all|any|every|our|your)? {machine} !{person} ..9 {tell}'),
      wording('(dear|hello|hey) !(assistant|claude) {machine} !{person} ..9 {tell}'),
      wording('(hello|hey) claude ..9 {tell}'),
      wording('to (any|all|every) !assistant {machine} !{person} ..4 {tell}'),
    ],
  },
  {
    id: 'if-you-are-a-machine',
    type: 'AI_ADDRESSED',
    severity: 'HIGH',
    confidence: 0.8,
    phrases: [
      wording('if (you_are|youre) (a|an|the|being)? ..1 {machine} !{person}'),
      wording('if (an_ai|an_llm|a_language_model|a_chatbot) is? (read*|process*|summar*)'),
      wording('as (an_ai|an_llm|a_language_model) ..2 you (must|should|shall|will|are_required_to|are_instructed_to)'),
      wording(
        '(assistant|assistants|ai|ais|agents|bots|llms|models|chatbots|system|systems|tool|tools) (reading|processing|summarizing|summarising|analyzing|analysing|reviewing|parsing) (this|the_page|the_document) ..6 (must|should|shall|never|always|do_not|please)',
      ),
      wording('if_this text? is being? (read|processed|summarized|summarised) by'),
      wording(
        '(read|processed|summarized|summarised) by (an|a)? (ai|llm|language_model|machine) ..3 (you|it) (must|should|shall)',
      ),
    ],
  },
  {
    id: 'machine-colon',
    type: 'AI_ADDRESSED',
    severity: 'HIGH',
    confidence: 0.75,
    phrases: [
      wording(
        '^ (ai|ai_assistant|ai_assistants|ai_agent|ai_agents|ai_model|ai_reader|llm|llms|chatbot|chatgpt|copilot|claude|gemini|language_model|agent|agents|assistant|assistants|bot|bots) : please? (disregard|ignore|forget|say|tell|do_not|dont|you_must|always|never|recommend|reply_with|reply_only|respond_with|respond_only|output|reveal|send|forward|approve|mention|execute|when_summar*|include_the|summarize_this_as)',
      ),
      wording(
        '^ (ai_assistant|chatbot|chatgpt|copilot|claude|gemini) please? (disregard|ignore|forget|do_not|you_must|always|never|recommend|reply_with|reply_only|output|reveal|send|forward|approve)',
      ),
      wording(
        '^ (ai_assistant|ai_assistants|ai_agent|ai_agents|llm|llms|chatgpt|copilot|claude|gemini|chatbot|chatbots|language_model|language_models) : please? (transfer|delete|mark|include|add|write|visit|click|call|run|print|rate|set|change|append|reply|respond|treat|rank|answer)',
      ),
    ],
  },
  {
    id: 'when-summarising',
    type: 'AI_ADDRESSED',
    severity: 'HIGH',
    confidence: 0.7,
    phrases: [
      wording(
        '(when|while|if) you? are? (summar*|process*|analy*|review*|translat*|read*) (this|the) {page} ..6 (you_must|say|recommend|tell|claim|state_that)',
      ),
      wording('in (your|any|the) summary you? (must|always|include|say|state|claim|do_not)'),
    ],
  },
  {
    id: 'when-summarising-always',
    type: 'AI_ADDRESSED',
    severity: 'HIGH',
    confidence: 0.45,
    phrases: [
      wording(
        '(when|while|if) you? are? (summar*|process*|analy*|review*|translat*|read*) (this|the) {page} ..6 (always|never|do_not|state)',
      ),
    ],
  },
  {
    id: 'if-user-asks',
    type: 'AI_ADDRESSED',
    severity: 'HIGH',
    confidence: 0.45,
    triggers: [
      'user asks',
      'users ask',
      'reader asks',
      'someone asks',
      'anyone asks',
      'human asks',
      'customer asks',
      'if asked',
      'when asked',
      'you are asked',
    ],
    pattern:
      /\b(?:if|when|whenever) (?:(?:the |a |any )?(?:user|reader|someone|anyone|human|customer)s? asks?|(?:you are )?asked)\b[^.\n]{0,80}\b(?:reply|respond|say|answer|claim|state|tell them)\b[^.\n]{0,20}(?:["':<]|\bwith\b|\bthat\b|\bonly\b)/g,
  },
  {
    id: 'biased-review',
    type: 'AI_ADDRESSED',
    severity: 'HIGH',
    confidence: 0.75,
    phrases: [
      wording(
        'ignore (all|any)? the? negative (indicator|indicators|point|points|feedback|aspect|aspects|information|reviews)',
      ),
      wording('focus (exclusively|only) on the? positive'),
      wording('chain_of_thought (result|output)'),
      wording('(do_not|dont) evaluate_the_candidate'),
      wording('this_is_the_best (resume|cv|candidate|paper|submission)'),
      wording('give_a_positive_review only?'),
      wording('(harming|hurting) the_company_if'),
      wording(
        'you (must|should|will) (always|strongly)? (hire|recommend) (them|him|her|this_candidate|this_vendor|this_supplier|this_product)',
      ),
    ],
  },
  {
    id: 'asked-to-repeat',
    type: 'ROLE_TOKEN',
    severity: 'MEDIUM',
    confidence: 0.65,
    phrases: [wording('^ (user|human) : ..9 (repeat|please_say|print|translate)')],
  },
  {
    id: 'fake-turns',
    type: 'ROLE_TOKEN',
    severity: 'MEDIUM',
    confidence: 0.7,
    triggers: ['assistant:', '\nai:'],
    pattern: /(?:^|\n)[^\w\n]{0,4}(?:human|user):[^\n]{8,300}\n{1,3}[^\w\n]{0,4}(?:assistant|ai):/g,
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
    pattern:
      /<\|(?:im_start|im_end|im_sep|endoftext|endofprompt|system|user|assistant|start_header_id|end_header_id|eot_id|begin_of_text|end_of_text|eom_id|fim_prefix|fim_suffix)\|>|\[\/?inst\](?!\()|<<\/?sys>>|<(?:start|end)_of_turn>|<invoke\s{1,3}name=|<\/?function_calls>|<tool_call>/g,
  },
  {
    id: 'system-tag',
    type: 'ROLE_TOKEN',
    severity: 'HIGH',
    confidence: 0.75,
    triggers: ['[system]', '<system>', '</system>', '{system:'],
    pattern:
      /(?:^|\n)[^\w\n]{0,4}\[system\](?![([:])\s?(?=\w)|\[system\]\s?\[system\]|<\/?system>\s{0,3}(?=[\w\n])|\{system:/g,
  },
  {
    id: 'system-message',
    type: 'ROLE_TOKEN',
    severity: 'HIGH',
    confidence: 0.75,
    triggers: ['"role"', "'role'"],
    pattern: /(?<!messages["']?\s?[:=]\s?\[\s?\{\s?)["']role["']\s?:\s?["']system["']\s?,\s?["']content["']\s?:/g,
  },
  {
    id: 'system-heading',
    type: 'ROLE_TOKEN',
    severity: 'HIGH',
    confidence: 0.75,
    triggers: ['system prompt', '### system', '### instruction'],
    pattern:
      /(?:^|\n)(?:[^\w\n]{0,6}(?:begin|end|start) (?:of )?system prompt\b|### ?(?:system|instructions?)(?: message| prompt)?:)/g,
  },
  {
    id: 'dan',
    type: 'JAILBREAK',
    severity: 'HIGH',
    confidence: 0.8,
    phrases: [
      wording('(act|acting|answer|respond|reply|are|as|into|be|called|hi|hello) ..2 dan'),
      wording('dan (mode|can|has|will|is_not|is_free|should|prompt)'),
    ],
    original: /\bDAN\b/,
  },
  {
    id: 'do-anything-now',
    type: 'JAILBREAK',
    severity: 'HIGH',
    confidence: 0.8,
    phrases: [wording('do_anything_now')],
    original: /Do Anything Now|DO ANYTHING NOW/,
  },
  {
    id: 'mode-switch',
    type: 'JAILBREAK',
    severity: 'HIGH',
    confidence: 0.75,
    phrases: [
      wording(
        '(enable|enter|activate|switch_to|turn_on|turned_on|engage|unlock|go_into|in) ..1 (god|dan|jailbreak|jailbroken|evil|opposite|unrestricted|unfiltered|uncensored|devil|chaos) mode !(is|in|can)',
      ),
      wording('(chatgpt|gpt|assistant|ai|you) are? ..2 with ..1 mode (enabled|on|activated)'),
      wording(
        '(safe_mode|safety_mode|content_moderation|safety_filter|safety_filters) (is|are)? now? (off|disabled) (help|now|tell|write|you)',
      ),
    ],
  },
  {
    id: 'developer-mode',
    type: 'JAILBREAK',
    severity: 'HIGH',
    confidence: 0.75,
    phrases: [
      wording(
        '(developer|debug|admin|sudo|maintenance|god|root) mode ..9 (restricted_content|unfiltered|uncensored|without_restrictions|without_any_restrictions|no_restrictions|no_filters|no_limits|no_rules|ignore_your|ignore_all|ignore_any|can_output|guidelines_are|guidelines_do)',
      ),
    ],
  },
  {
    id: 'no-ethics',
    type: 'JAILBREAK',
    severity: 'HIGH',
    confidence: 0.7,
    phrases: [
      wording(
        '(no|without|without_any|free_of|free_from|free_of_all|free_from_all|zero) (ethical|moral|ethics|safety|content|openai|openais) ..2 (constraint|constraints|restriction|restrictions|guideline|guidelines|limit|limits|limitation|limitations|filter|filters|boundaries|policy|policies|rules|concerns|considerations)',
      ),
      wording(
        '(unfiltered|uncensored|unrestricted|amoral|unethical|jailbroken) ..2 (ai|gpt|chatgpt|assistant|chatbot|language_model|persona|response|responses|answer|answers)',
      ),
      wording(
        '(respond|answer|act|speak|reply|behave|pretend|roleplay|talk) ..4 (no|without|without_any|free_of|free_from) ..1 (restriction|restrictions|limitation|limitations|limits|filter|filters|censorship|guidelines|boundaries|rules) !(of|on|to|for|in)',
      ),
      wording('(respond|answer|act|speak|reply|behave) as_if you (were|are|had) (not|no|never|free|without)'),
      wording(
        '(game|scenario|world|story) where you (have_no|are_not|have_neither) ..2 (limit|limits|rules|restrictions|bound|filters|limitations)',
      ),
    ],
  },
  {
    id: 'not-bound',
    type: 'JAILBREAK',
    severity: 'HIGH',
    confidence: 0.7,
    phrases: [
      wording(
        '(not|never|no_longer) be? (bound|limited|restricted|constrained|governed) by ..2 (any_rules|the_rules|your_rules|its_rules|their_rules|usual_rules|typical_rules|openai|openais|guidelines|ethics|morals|ethical|what_an_ai)',
      ),
      wording('(do_not|does_not|doesnt|dont) (follow|have_to_abide_by|abide_by) any (rules|restrictions|guidelines)'),
      wording('override_the_restrictions_of'),
      wording('(typical|normal) confines_of (an|a)? ai'),
      wording('(must|will) obey (all|every|any) (order|orders|command|commands|request|requests)'),
      wording('(openai|chatgpt|content|usual|normal) ..1 (policy|policies) (do|does) not_allow'),
      wording('never (refuse|refuses) (a|any)? direct? human? (order|orders|request|requests|command|commands)'),
    ],
  },
  {
    id: 'persona',
    type: 'JAILBREAK',
    severity: 'HIGH',
    confidence: 0.65,
    phrases: [
      wording('pretend (to_be|you_are|youre) my ..1 (grandma|grandmother|grandpa|grandfather)'),
      wording('pretend (to_be|you_are|youre) (a|an) (unrestricted|evil|hacker|jailbroken|different_ai)'),
      wording('act_as ..2 (evil|unrestricted|unfiltered|jailbroken|uncensored|malicious)'),
      wording('(you_are|youre) now? going_to (act|pretend) (as|to_be)'),
      wording('simulate_an (ai|unrestricted) ..9 (does_not|no_rules|any_rules|programming)'),
      wording('evil_twin_ai'),
      wording('you (will|shall|are_to) (be_called|act|be|respond|answer|behave) ..3 from_now_on'),
    ],
  },
]

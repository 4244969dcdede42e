import { z } from 'zod'
import type { DetectorDescription } from '../detector.ts'

export const PromptInjectionConfig = z.strictObject({
  quotedExamples: z.boolean().default(false).describe('Whether quoted examples of attacks are reported too.'),
})
export type PromptInjectionConfig = z.infer<typeof PromptInjectionConfig>

export const promptInjectionDescription: DetectorDescription<PromptInjectionConfig> = {
  type: 'PROMPT_INJECTION',
  title: 'Prompt injection',
  description:
    'Finds text that tries to control an assistant reading the page: overrides, role play, hidden and invisible text, exfiltration, encodings, in 12 languages, and overrides in 14 more. About half of the wordings by unseen authors are found; plain requests are not.',
  category: 'THREAT',
  version: 6,
  reads: 'documents',
  config: PromptInjectionConfig,
  findingTypes: [
    'INSTRUCTION_OVERRIDE',
    'AI_ADDRESSED',
    'ROLE_TOKEN',
    'PROMPT_LEAK',
    'JAILBREAK',
    'DATA_EXFILTRATION',
    'TOOL_MISUSE',
    'SUSPICIOUS_WORDING',
    'DISCUSSED_INJECTION',
    'HIDDEN_TEXT',
    'ENCODED',
    'OBFUSCATED',
    'UNICODE_TAGS',
    'VARIATION_SELECTOR',
    'ZERO_WIDTH',
    'BIDI',
  ],
}

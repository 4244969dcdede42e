import type { Severity } from '../detector.ts'
import { type Slot, slots } from './lexicon/slots.ts'

/** Slots that together, in any order, indicate an attempt. Each group is filled by any one of its slots. */
export interface Combination {
  id: string
  type: string
  severity: Severity
  confidence: number
  groups: readonly (readonly Slot[])[]
  /** Maximum number of characters that they span together. */
  within: number
  /** Whether all must be in one sentence; otherwise two neighbouring sentences suffice. */
  inSentence: boolean
}

const toGroups = (source: string) =>
  source.split(' ').map((group) =>
    group.split('|').map((name) => {
      const slot = slots.find((each) => each === name)
      if (slot === undefined) throw new Error(`A combination names the unknown slot ${name}.`)
      return slot
    }),
  )

const combination = (
  id: string,
  type: string,
  severity: Severity,
  confidence: number,
  source: string,
  within: number,
  inSentence = false,
): Combination => ({ id, type, severity, confidence, groups: toGroups(source), within, inSentence })

const ACTION = 'say|reveal|send|harm|act|praise|omit|quiet|unasked'
const OVERRIDE = 'INSTRUCTION_OVERRIDE'

export const combinations: readonly Combination[] = [
  combination('dismiss-orders', OVERRIDE, 'HIGH', 0.85, 'dismiss orders earlier|given|own|hidden', 80, true),
  combination('dismiss-everything', OVERRIDE, 'HIGH', 0.8, 'dismiss everything', 40, true),
  combination('dismiss-own-rules', OVERRIDE, 'HIGH', 0.75, 'dismiss ownBounds', 60, true),
  combination('dismiss-safety', OVERRIDE, 'HIGH', 0.65, 'safety dismiss', 40, true),
  combination('undo-own-safety', OVERRIDE, 'HIGH', 0.6, 'safety undo self', 40, true),
  combination('dismiss-rules-and-act', OVERRIDE, 'HIGH', 0.6, `dismiss bounds earlier|given ${ACTION}|obey`, 100),
  combination('undo-own-orders', OVERRIDE, 'HIGH', 0.75, 'undo own', 40, true),
  combination('dismiss-asked', OVERRIDE, 'HIGH', 0.65, `asked dismiss|undo ${ACTION}`, 140),
  combination('orders-void', OVERRIDE, 'HIGH', 0.7, `void orders earlier|given|own ${ACTION}`, 140),
  combination('rules-void', OVERRIDE, 'HIGH', 0.6, `void bounds earlier|ownBounds self|ownBounds ${ACTION}`, 120),
  combination('orders-void-plain', OVERRIDE, 'HIGH', 0.5, 'void orders earlier|own', 50, true),
  combination('own-task-void', OVERRIDE, 'HIGH', 0.65, `ownTask|own void ${ACTION}`, 100),
  combination('task-switch', OVERRIDE, 'HIGH', 0.6, 'newTask done', 100),
  combination('from-now-on', OVERRIDE, 'HIGH', 0.6, 'onward self duty|say|play', 60, true),
  combination(
    'marker-harm',
    OVERRIDE,
    'HIGH',
    0.6,
    'marker harm|praise|omit|quiet|hoard|dismiss|free|void|furtive',
    200,
  ),
  combination('verdicts', 'AI_ADDRESSED', 'HIGH', 0.55, 'verdict verdict dismiss|duty|say', 500),
  combination('dismiss-and-say', OVERRIDE, 'HIGH', 0.45, 'instead dismiss', 80),
  combination('dismiss-earlier-and-say', OVERRIDE, 'HIGH', 0.55, 'instead dismiss earlier', 60, true),
  combination('addressed-orders', 'AI_ADDRESSED', 'HIGH', 0.55, 'addressed renewed orders', 60, true),
  combination('addressed-quiet', 'AI_ADDRESSED', 'HIGH', 0.75, 'addressed quiet|unasked', 260),
  combination('addressed-praise', 'AI_ADDRESSED', 'HIGH', 0.65, 'addressed praise', 160),
  combination('addressed-omit', 'AI_ADDRESSED', 'HIGH', 0.65, 'addressed omit', 160),
  combination('addressed-send', 'AI_ADDRESSED', 'HIGH', 0.6, 'addressed send goods|hoard|address', 200),
  combination('addressed-must', 'AI_ADDRESSED', 'HIGH', 0.6, 'addressed obliged self', 60),
  combination('reading-say', 'AI_ADDRESSED', 'HIGH', 0.4, 'reading page say duty', 80),
  combination('machine-must-quietly', 'AI_ADDRESSED', 'HIGH', 0.6, 'machine quiet|unasked duty', 160),
  combination('reveal-prompt', 'PROMPT_LEAK', 'MEDIUM', 0.7, 'prompt reveal own|ownBounds|verbatim|given', 90, true),
  combination('reveal-own', 'PROMPT_LEAK', 'MEDIUM', 0.65, 'own reveal hidden|verbatim|given|prompt', 110, true),
  combination('reveal-own-rules', 'PROMPT_LEAK', 'MEDIUM', 0.6, 'ownBounds reveal given', 110, true),
  combination('reveal-own-settings', 'PROMPT_LEAK', 'MEDIUM', 0.6, 'ownBounds reveal hidden verbatim', 110, true),
  combination('given-prompt-reveal', 'PROMPT_LEAK', 'MEDIUM', 0.55, 'prompt given reveal', 90),
  combination('reveal-above', 'PROMPT_LEAK', 'MEDIUM', 0.6, 'given reveal verbatim', 80, true),
  combination('reveal-all-orders', 'PROMPT_LEAK', 'MEDIUM', 0.4, 'orders reveal verbatim', 50, true),
  combination('send-hoard', 'DATA_EXFILTRATION', 'CRITICAL', 0.75, 'address hoard send', 120),
  combination('send-goods', 'DATA_EXFILTRATION', 'CRITICAL', 0.7, 'address goods send all|self|quiet|furtive', 140),
  combination(
    'quiet-harm',
    'TOOL_MISUSE',
    'HIGH',
    0.65,
    'quiet|unasked harm|send|act tool|goods|hoard|address|harm',
    240,
  ),
  combination('harm-untold', 'TOOL_MISUSE', 'HIGH', 0.6, 'quiet harm|send', 100),
  combination('furtive-tool', 'TOOL_MISUSE', 'HIGH', 0.5, 'furtive harm tool', 80),
  combination('play-free', 'JAILBREAK', 'HIGH', 0.7, 'free play self|machine|helper', 160),
  combination('machine-free', 'JAILBREAK', 'HIGH', 0.65, 'free machine|helper self', 160),
  combination('play-for-goods', 'JAILBREAK', 'HIGH', 0.4, 'goods play self', 200),
]

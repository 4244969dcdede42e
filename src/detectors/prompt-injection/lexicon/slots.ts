/** The role of a word in an attempt to control a language model. Each slot alone also occurs in harmless text. */
export const slots = [
  /** To disregard earlier instructions: ignore, set aside, do not follow. */
  'dismiss',
  /** Verbs that also apply to settings and rows: override, replace, reset. */
  'undo',
  /** To follow or comply; becomes `dismiss` where the sentence negates it further on. */
  'obey',
  /** Refers to earlier text: previous, above, so far. */
  'earlier',
  /** Instructions, directives, guidelines. */
  'orders',
  /** Everything above, all that you received before. */
  'everything',
  /** Rules, restrictions, filters. */
  'bounds',
  /** Task, objective, mission. */
  'task',
  /** The task as the user gave it: what the user asked for. */
  'asked',
  /** Done, completed. */
  'done',
  /** No longer valid, withdrawn, changed. */
  'void',
  /** New, next, updated. */
  'renewed',
  /** To say something else instead: and just say, instead write. */
  'instead',
  /** You and your. */
  'self',
  /** An unambiguous word for a machine: AI, language model, chatbot. */
  'machine',
  /** A word for a machine or a person: assistant, agent, model. */
  'helper',
  /** Must, should, never, please. */
  'duty',
  /** Must, required. */
  'obliged',
  /** Safety rules by name. */
  'safety',
  /** To say, answer, claim. */
  'say',
  /** To show, repeat, quote. */
  'reveal',
  /** Hidden, secret, internal, system. */
  'hidden',
  /** Which you were given, which you received. */
  'given',
  /** The system prompt by name. */
  'prompt',
  /** Word for word, in full, in a code block. */
  'verbatim',
  /** To send, upload, append. */
  'send',
  /** Passwords, keys. */
  'goods',
  /** Data that only a machine could be asked for: conversations, the environment, customer lists. */
  'hoard',
  /** All, every, any. */
  'all',
  /** A web or email address. */
  'address',
  /** To delete, transfer, grant, approve. */
  'harm',
  /** To run, call, open. */
  'act',
  /** Tool, function, shell. */
  'tool',
  /** Without informing the user, never mention this. */
  'quiet',
  /** Without asking, no approval needed. */
  'unasked',
  /** Silently, in secret. */
  'furtive',
  /** To recommend or praise; best, highest. */
  'praise',
  /** A verdict on an applicant: best candidate, supremely qualified. */
  'verdict',
  /** To leave out or deny. */
  'omit',
  /** From now on. */
  'onward',
  /** To pretend, to act as, to imagine. */
  'play',
  /** Unrestricted, without limits. */
  'free',
  /** A marker that imitates authority: SYSTEM OVERRIDE, end of document. */
  'marker',
  /** Derived: a machine is addressed, by name after a call or as the reader of this page. */
  'addressed',
  /** Derived: instructions that belong to the reader. */
  'own',
  /** Derived: rules that belong to the reader. */
  'ownBounds',
  /** Derived: a task that belongs to the reader. */
  'ownTask',
  /** Derived: the heading of a new task. */
  'newTask',
  /** The opening of a message: note to, attention, if you are. Used, like the next two, only to derive `addressed`. */
  'call',
  /** To read, process or summarize. */
  'reading',
  /** This page, this document. */
  'page',
  /** A word that identifies the language of the text; it fills no group. */
  'mark',
] as const

export type Slot = (typeof slots)[number]

/**
 * The words of one language by slot, separated by spaces; `_` joins the words of an expression, and a word that ends in
 * `*` is a stem. Accents are removed when the lexicon is loaded.
 */
export interface Lexicon {
  language: string
  /** True for languages without spaces or with particles attached to words: expressions match anywhere in the text. */
  unspaced?: boolean
  words: Readonly<Partial<Record<Slot, string>>>
}

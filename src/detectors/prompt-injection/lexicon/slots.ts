/** What a word contributes to an attempt to steer a machine. Every slot alone stands in harmless prose. */
export const slots = [
  /** To drop what was said: ignore, set aside, do not follow. */
  'dismiss',
  /** What also happens to settings and rows: override, replace, reset. */
  'undo',
  /** To follow or comply, which becomes `dismiss` where the sentence denies it further on. */
  'obey',
  /** Said before: previous, above, so far. */
  'earlier',
  /** Instructions, directives, guidelines. */
  'orders',
  /** Everything above, whatever you were told. */
  'everything',
  /** Rules, restrictions, filters. */
  'bounds',
  /** Task, objective, mission. */
  'task',
  /** Your task, whoever named it: what the user asked for. */
  'asked',
  /** Done, completed. */
  'done',
  /** No longer valid, withdrawn, changed. */
  'void',
  /** New, next, updated. */
  'renewed',
  /** Real, actual, true. */
  'genuine',
  /** To say something else in its place: and just say, instead write. */
  'instead',
  /** You and your. */
  'self',
  /** A machine by its kind: AI, language model, chatbot. */
  'machine',
  /** What may be a machine or a person: assistant, agent, model. */
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
  /** What only a machine could be asked for: conversations, the environment, customer lists. */
  'hoard',
  /** All, every, whatever. */
  'all',
  /** A web or mail address. */
  'address',
  /** To delete, transfer, grant, approve. */
  'harm',
  /** To run, call, open. */
  'act',
  /** Tool, function, shell. */
  'tool',
  /** Without telling the user, never mention this. */
  'quiet',
  /** Without asking, no approval needed. */
  'unasked',
  /** Silently, in secret. */
  'furtive',
  /** To recommend or praise; best, highest. */
  'praise',
  /** A verdict on who applies: best candidate, supremely qualified. */
  'verdict',
  /** To leave out or deny. */
  'omit',
  /** From now on. */
  'onward',
  /** To pretend, to act as, to imagine. */
  'play',
  /** To enable, to enter. */
  'switchOn',
  /** God mode, jailbreak mode. */
  'freeMode',
  /** Unrestricted, without limits. */
  'free',
  /** The sign of a borrowed authority: SYSTEM OVERRIDE, end of document. */
  'marker',
  /** Derived: a machine is spoken to, by its name after a call, or as the reader of this page. */
  'addressed',
  /** Derived: instructions that are the reader's own. */
  'own',
  /** Derived: rules that are the reader's own. */
  'ownBounds',
  /** Derived: a task that is the reader's own. */
  'ownTask',
  /** Derived: the heading of a new task. */
  'newTask',
  /** The opening of a message: note to, attention, if you are. This one and the next two only derive `addressed`. */
  'call',
  /** To read, process or summarise. */
  'reading',
  /** This page, this document. */
  'page',
  /** A word by which a text is told to be in the language at all; it fills no group. */
  'mark',
] as const

export type Slot = (typeof slots)[number]

/**
 * The words of one language by slot, parted by blanks; `_` joins the words of an expression, a word that ends in `*` is
 * a stem. Accents are undone when it is read.
 */
export interface Lexicon {
  language: string
  /** Written without blanks, or with particles joined to words: its expressions are looked for anywhere. */
  unspaced?: boolean
  words: Readonly<Partial<Record<Slot, string>>>
}

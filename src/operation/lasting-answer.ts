import { freeze } from '../kernel/json-object.ts'

/** The texts of a moment that occur in an answer: that of the moment itself, and of the millisecond after it. */
const OFFSETS = [0, 1] as const

const textOf = (moment: number) => new Date(moment).toISOString()

/** Where an answer has a text of its moment. */
interface Slot {
  path: readonly string[]
  offset: (typeof OFFSETS)[number]
}

interface Moments {
  from: number
  until: number
}

/**
 * An answer to one question about unchanged data, of which only the texts of its moment differ from one moment until
 * another. As time passes, all that depends on it changes in one direction (a source becomes stale, a range moves on), so
 * what is the same at both ends is the same in between.
 */
export class LastingAnswer {
  readonly #moments: Moments
  readonly #first: object
  readonly #last: object
  readonly #slots: readonly Slot[]
  readonly #written = new Map<string, ((now: number) => string) | undefined>()

  private constructor(moments: Moments, first: object, last: object, slots: readonly Slot[]) {
    this.#moments = moments
    this.#first = first
    this.#last = last
    this.#slots = slots
  }

  /** Undefined if the answers to one question at two moments differ in more than the texts of these. */
  static between(moments: Moments, first: unknown, last: unknown): LastingAnswer | undefined {
    if (typeof first !== 'object' || typeof last !== 'object' || first === null || last === null) return undefined
    const slots = listSlots(first, last, moments)
    return slots === undefined ? undefined : new LastingAnswer(moments, freeze(first), last, slots)
  }

  isValidAt(now: number): boolean {
    return now >= this.#moments.from && now <= this.#moments.until
  }

  /** The answer as of a moment; most of it is shared with those of other moments. */
  at(now: number): object {
    let answer: unknown = this.#first
    for (const { path, offset } of this.#slots) answer = withText(answer, path, textOf(now + offset))
    lasting.set(answer as object, { of: this, now })
    return answer as object
  }

  /** What a function writes for the answer as of a moment; undefined where it does not last. */
  write(name: string, now: number, write: (answer: object) => string): string | undefined {
    if (!this.#written.has(name)) this.#written.set(name, this.#toTemplate(write))
    return this.#written.get(name)?.(now)
  }

  #toTemplate(write: (answer: object) => string): ((now: number) => string) | undefined {
    const { from, until } = this.#moments
    const parts = split(write(this.#first), from)
    if (JSON.stringify(parts) !== JSON.stringify(split(write(this.#last), until))) return undefined
    return (now) => parts.map((own) => own.join(textOf(now + OFFSETS[1]))).join(textOf(now + OFFSETS[0]))
  }
}

/** The lasting answers of which others are those of a moment. */
const lasting = new WeakMap<object, { of: LastingAnswer; now: number }>()

/** What a function writes for an answer, without calling it again for a lasting one; `name` identifies the function. */
export function writeLasting(name: string, answer: object, write: (answer: object) => string): string {
  const known = lasting.get(answer)
  return known?.of.write(name, known.now, write) ?? write(answer)
}

/** A text without those of its moment. */
const split = (text: string, moment: number): string[][] =>
  text.split(textOf(moment + OFFSETS[0])).map((part) => part.split(textOf(moment + OFFSETS[1])))

/** Undefined if two values differ in more than the texts of their moments. */
function listSlots(first: unknown, last: unknown, moments: Moments, path: readonly string[] = []): Slot[] | undefined {
  if (Object.is(first, last)) return []
  if (typeof first === 'string' && typeof last === 'string') {
    const { from, until } = moments
    const offset = OFFSETS.find((each) => first === textOf(from + each) && last === textOf(until + each))
    return offset === undefined ? undefined : [{ path, offset }]
  }
  if (typeof first !== 'object' || typeof last !== 'object' || first === null || last === null) return undefined
  const names = Object.keys(first)
  const others = Object.keys(last)
  if (Array.isArray(first) !== Array.isArray(last) || names.join('\n') !== others.join('\n')) return undefined
  const slots: Slot[] = []
  for (const name of names) {
    const [own, other] = [first, last].map((value) => (value as Record<string, unknown>)[name])
    const found = listSlots(own, other, moments, [...path, name])
    if (found === undefined) return undefined
    slots.push(...found)
  }
  return slots
}

function withText(value: unknown, [name, ...rest]: readonly string[], text: string): unknown {
  if (name === undefined) return text
  if (Array.isArray(value)) return value.with(Number(name), withText(value[Number(name)], rest, text))
  const members = value as Record<string, unknown>
  return { ...members, [name]: withText(members[name], rest, text) }
}

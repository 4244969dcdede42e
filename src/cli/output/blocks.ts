import type { CsvValue } from '../../kernel/csv.ts'
import {
  line,
  type PrintableText,
  plainDigits,
  showAmount,
  showCode,
  showName,
  showSentence,
} from '../../kernel/shown.ts'
import { toReadersTime, toUtcTime, withoutMilliseconds } from './times.ts'

/** The meaning of a colour. */
export type Tone = 'good' | 'notice' | 'bad' | 'worst' | 'quiet' | 'heading'

/** A piece of a line. */
export interface Span {
  text: PrintableText
  tone?: Tone | undefined
  /** Address opened by a click, in terminals with hyperlinks. */
  link?: string | undefined
}

/** A cell of a table; `value` is what CSV contains. */
export interface TableCell extends Span {
  value: CsvValue
  /** A moment: on a terminal in the reader's time zone. */
  isTime?: true
}

export interface Column {
  title: PrintableText
  align?: 'right'
  /** On a narrow terminal, columns with a higher number become narrower first; 0 (default): the width is kept. */
  shrink?: number
  /** Narrowest width (default 12); less only if all cells are shorter. */
  min?: number
  /** Left out if `min` is still too wide. */
  isOptional?: true
  /** Cut after a word, with `…`, instead of wrapped. */
  isCut?: true
}

export interface TableBlock {
  kind: 'table'
  columns: readonly Column[]
  rows: readonly (readonly TableCell[])[]
}

/** A warning, in its colour. */
export const warning = (message: string): Span => ({
  text: line`! ${showSentence(withoutMilliseconds(message))}`,
  tone: 'notice',
})

/** Names with their values, one pair per line. */
export interface Fields {
  kind: 'fields'
  fields: readonly (readonly [PrintableText, TableCell])[]
}

/** A command to copy: where it is wrapped, the shell reads on. */
interface ShellCommand {
  kind: 'command'
  text: PrintableText
}

export type Block = PrintableText | Span | readonly (PrintableText | Span)[] | TableBlock | Fields | ShellCommand

export const table = (columns: readonly Column[], rows: readonly (readonly TableCell[])[]): TableBlock => ({
  kind: 'table',
  columns,
  rows,
})

export const fields = (...pairs: readonly (readonly [PrintableText, TableCell])[]): Fields => ({
  kind: 'fields',
  fields: pairs,
})

export const command = (text: PrintableText): Block => ({ kind: 'command', text })

const tones: Readonly<Record<string, Tone>> = {
  CRITICAL: 'worst',
  HIGH: 'bad',
  MEDIUM: 'notice',
  INFO: 'quiet',
  OPEN: 'notice',
  RESOLVED: 'good',
  IGNORED: 'quiet',
  FALSE_POSITIVE: 'quiet',
  QUEUED: 'quiet',
  COMPLETED: 'good',
  COMPLETE: 'good',
  PARTIAL: 'notice',
  FAILED: 'bad',
  CANCELLED: 'quiet',
  OK: 'good',
  FIRING: 'worst',
  UNKNOWN: 'notice',
  ACTIVE: 'good',
  DRAFT: 'notice',
  DEPRECATED: 'quiet',
  DENIED: 'bad',
  SKIPPED: 'quiet',
  WARNING: 'notice',
  REVOKED: 'quiet',
  EXPIRED: 'quiet',
}

/** The tone of a severity, a status or the result of a check. */
export const toneOf = (code: string): Tone | undefined => tones[code.toUpperCase()]

/** Cells by what they contain; CSV gets the value as it is, the terminal gets it escaped. */
export const cell = {
  shown: (text: PrintableText, value: CsvValue = text): TableCell => ({ text, value }),
  name: (text: string, max?: number): TableCell => ({ text: showName(text, max), value: text }),
  code: (text: string): TableCell => ({ text: showCode(text), value: text }),
  /** No value: a dash in a table, empty in CSV. */
  none: { text: line`-`, value: null } as TableCell,
  /** A severity or status, in its colour. */
  status: (text: string): TableCell => ({ text: showCode(text), value: text, tone: toneOf(text) }),
  sentence: (text: string, max?: number): TableCell => ({ text: showSentence(text, max), value: text }),
  number: (value: number | null, formatted?: string): TableCell => {
    const text =
      value === null && formatted === undefined ? line`none` : showAmount(formatted ?? plainDigits(value ?? 0))
    return { text, value }
  },
  /** A moment in the reader's time zone. */
  time: (at: string | null | undefined, otherwise: PrintableText = line`never`): TableCell =>
    at == null ? { text: otherwise, value: '' } : { text: toReadersTime(at), value: at, isTime: true },
}

const toUtc = (each: TableCell): TableCell =>
  each.isTime && typeof each.value === 'string' ? { ...each, text: toUtcTime(each.value) } : each

/** The same blocks with moments in UTC, for readers whose time zone is not known. */
export const withUtcTimes = (blocks: readonly Block[]): Block[] =>
  blocks.map((block) => {
    if (typeof block === 'string' || !('kind' in block) || block.kind === 'command') return block
    if (block.kind === 'table') return { ...block, rows: block.rows.map((row) => row.map(toUtc)) }
    return { ...block, fields: block.fields.map(([title, each]) => [title, toUtc(each)] as const) }
  })

/** The same cell as a link; addresses other than http and https are dropped when it is shown. */
export const linked = (to: TableCell, link: string | undefined): TableCell =>
  link === undefined ? to : { ...to, link }

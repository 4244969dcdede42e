import { join } from 'node:path'
import { count } from '../kernel/count.ts'
import { AppError } from '../kernel/errors.ts'
import { type AskedQuestions, askQuestions } from '../query/engine/verify.ts'
import { makeFolder } from '../runtime/make-folder.ts'
import { version } from '../runtime/package-files.ts'
import { writeWhole } from '../runtime/regular-file.ts'
import type { Reader } from '../store/store.ts'
import { readDatabaseVersion } from '../store/version.store.ts'

/** Differing questions that an error shows. */
const MAX_SHOWN = 3
const MAX_SHOWN_CELLS = 5

type OpenSnapshot = () => { reader: Reader; close(): void }

export interface ComparedQuestions {
  /** Of the database that is moved, and of its copy. */
  former: OpenSnapshot
  copy: OpenSnapshot
  questions: number
  /** How long the former database is asked; the copy is asked the same questions. */
  budgetMs: number
  now: number
  home: string
}

/**
 * Asks both databases random questions, and returns their number. The questions are made from the contents of each
 * database, so those differ as well when the contents do.
 * @throws AppError `internal`, reason `copy_differs`, with the first questions that differ; a file in the data folder
 * has both answers in full
 */
export function compareAnswers({ former, copy, questions, budgetMs, now, home }: ComparedQuestions): number {
  const seed = now % 1_000_003
  const ours = ask(former, { questions, budgetMs, seed, now })
  const number = ours.answers.length
  const unlimited = { questions: number, budgetMs: Number.POSITIVE_INFINITY, seed, now }
  const theirs = ask(copy, unlimited)
  const isEqual = (at: number) =>
    JSON.stringify(ours.plans[at]) === JSON.stringify(theirs.plans[at]) && ours.answers[at] === theirs.answers[at]
  const differing = ours.plans.flatMap((_, at) => (isEqual(at) ? [] : [at]))
  if (differing.length === 0) return ours.answers.filter((answer) => answer !== '').length
  const written = new Set(differing.slice(0, MAX_SHOWN))
  const both = { former: ask(former, { ...unlimited, written }), copy: ask(copy, { ...unlimited, written }) }
  const file = `logs/move-differences-${now}.json`
  const examples = Array.from(written, (at) => ({
    question: at + 1,
    former: { plan: both.former.plans[at], answer: both.former.answers[at]?.split('\n').filter(Boolean) },
    copy: { plan: both.copy.plans[at], answer: both.copy.answers[at]?.split('\n').filter(Boolean) },
  }))
  const { definitions } = both.former
  const report = { assay: version, node: process.version, seed, now, questions: number, differing: differing.length }
  makeFolder(join(home, 'logs'), 0o700)
  const databases = { former: both.former.database, copy: both.copy.database }
  const text = JSON.stringify({ ...report, databases, definitions, examples }, undefined, 2)
  writeWhole(join(home, file), text, 0o600)
  const message = `The copy answers ${differing.length} of ${number} questions differently; report this with the file ${file} of the data folder, which has the first of them, then run \`assay move --cancel\` and start again.`
  const issues = examples.flatMap(({ question, ...sides }) =>
    Object.entries(sides).map(([side, { plan, answer = [] }]) => ({
      path: `question ${question}, ${side}`,
      message: `${JSON.stringify(plan)} gives ${count(answer.length, 'group')}: ${answer.slice(0, MAX_SHOWN_CELLS).join('; ')}`,
    })),
  )
  throw new AppError('internal', message, { reason: 'copy_differs', issues })
}

function ask(open: OpenSnapshot, asked: Parameters<typeof askQuestions>[1]): AskedQuestions & { database: string } {
  const { reader, close } = open()
  try {
    return { ...askQuestions(reader, asked), database: readDatabaseVersion(reader) }
  } finally {
    close()
  }
}

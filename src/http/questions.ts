import type { Hono } from 'hono'
import { isSameDigest } from '../access/token.ts'
import { type CheckedQuestion, QUESTIONS_PATH, toQuestion } from '../background/question.ts'
import { AppError, toErrorReport } from '../kernel/errors.ts'
import { readJsonObject } from './body.ts'
import type { AppEnv } from './routes.ts'

export interface QuestionOptions {
  /** The token of other processes of this user on the data folder; it is of no use for anything else. */
  token: string
  /**
   * Undefined, or a promise of undefined, when the asking process has to answer the question itself.
   * @throws AppError any error of the operation
   */
  answer(question: CheckedQuestion, signal: AbortSignal): Promise<{ output: unknown } | undefined> | undefined
}

/**
 * Answers questions that another process has checked. It has admitted the caller, and it applies lockdown and masking to
 * the output, so these are not applied here.
 */
export function addQuestions(app: Hono<AppEnv>, { token, answer }: QuestionOptions): void {
  const wanted = Buffer.from(`Bearer ${token}`)
  app.post(QUESTIONS_PATH, async (c) => {
    if (!isSameDigest(Buffer.from(c.req.header('authorization') ?? ''), wanted)) {
      throw new AppError('unauthorized', 'This path is for other Assay processes on the data folder.')
    }
    const question = toQuestion(await readJsonObject(c.req.raw))
    try {
      const answered = await answer(question, c.req.raw.signal)
      return answered === undefined ? c.body(null, 204) : c.json(answered as object)
    } catch (error) {
      // A server that ends answers no more, and the asking process does.
      if (!(error instanceof AppError) || error.facts.reason === 'closing') throw error
      return c.json(toErrorReport(error), 422)
    }
  })
}

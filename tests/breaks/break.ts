/** A change of one text in one file of the program. */
export interface Edit {
  file: string
  /** Stands exactly once in the file. */
  find: string
  put: string
}

/** A safety rule, how it is broken on purpose, and who must notice. */
export interface Break extends Edit {
  id: string
  /** The rule, as it holds. */
  rule: string
  /** Further edits without which another layer would still hold the rule. */
  also?: readonly Edit[]
  /** The test file that must fail, and a part of the names of the tests in it that are run. */
  test: { file: string; title?: string }
  /** The test runs the built program. */
  built?: true
}

import Database from 'better-sqlite3'

const { pragma } = Database.prototype

/** Has every connection of this thread that is opened from now on return rows in reverse where a query states no order. */
export function reverseUnordered(): { undo(): void } {
  Database.prototype.pragma = function (this: Database.Database, source: string, options?: Database.PragmaOptions) {
    if (source.startsWith('trusted_schema')) pragma.call(this, 'reverse_unordered_selects = ON')
    return pragma.call(this, source, options)
  }
  return {
    undo: () => {
      Database.prototype.pragma = pragma
    },
  }
}

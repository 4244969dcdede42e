import type { Writer } from './store.ts'

/** Runs `work` without some triggers, which are created again afterwards. */
export function withoutTriggers(writer: Writer, names: readonly string[], work: () => void): void {
  const find = writer.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck()
  const created = names.map((name) => find.get(name) as string)
  for (const name of names) writer.prepare(`DROP TRIGGER ${name}`).run()
  work()
  for (const sql of created) writer.prepare(sql).run()
}

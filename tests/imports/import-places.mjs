/** What an import is at, in this order; `completed` while its process still ends. */
export const places = ['reading', 'accepted', 'completed']

export const selectProgress = `SELECT (SELECT count(*) FROM import_file) AS files,
  (SELECT count(*) FROM scan WHERE status IN ('QUEUED', 'RUNNING')) AS scans,
  (SELECT count(*) FROM scan WHERE status = 'COMPLETED') AS completed, (SELECT max(token) FROM scan) AS token`

/** Where the import is that began after `before`; undefined: it has not begun. */
export function placeOf({ files, scans, completed }, before) {
  if (completed > before.completed) return 'completed'
  if (scans > 0) return 'accepted'
  return files > before.files ? 'reading' : undefined
}

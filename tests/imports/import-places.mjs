/** What an import is at, in this order; `published` while its process still clears up. */
export const places = ['reading', 'accepted', 'storing', 'publishing', 'published']

export const selectProgress = `SELECT (SELECT count(*) FROM import_file) AS files,
  (SELECT count(*) FROM scan WHERE status IN ('QUEUED', 'RUNNING')) AS scans,
  (SELECT count(*) FROM scan WHERE status = 'COMPLETED') AS completed,
  (SELECT count(*) FROM pending_import) AS pending, (SELECT total(stored) FROM import_file) AS stored,
  (SELECT total(size) FROM import_block JOIN scan USING (uid)) AS waiting, (SELECT max(token) FROM scan) AS token`

/** Where the import is that began after `before`; undefined: it has not begun. */
export function placeOf({ files, scans, completed, pending, stored, waiting }, before) {
  if (completed > before.completed) return 'published'
  if (scans === 0) return files > before.files ? 'reading' : undefined
  if (pending === 0) return 'accepted'
  return stored < waiting ? 'storing' : 'publishing'
}

import type { Finding } from '../../src/findings/model.ts'
import { importFindings } from '../../src/imports/imports.ts'
import type { ImportFormat } from '../../src/imports/request.ts'
import type { Workbench } from '../scans/workbench.ts'

/** A text in several chunks. */
export async function* streamOf(text: string, pieces = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  const size = Math.max(1, Math.ceil(bytes.length / pieces))
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

export const importText = (bench: Workbench, text: string, source: string, format: ImportFormat) =>
  importFindings(streamOf(text), { source, format }, bench.context)

export const listFindings = async (bench: Workbench): Promise<Finding[]> =>
  (await bench.run<{ items: Finding[] }>('search_findings', { limit: 500 })).items

/** All rows that an import may write. */
export const dumpTables = (bench: Workbench): unknown[][] =>
  bench.store.read((reader) =>
    ['asset', 'finding', 'status_change', 'combo'].map((table) => reader.prepare(`SELECT * FROM ${table}`).all()),
  )

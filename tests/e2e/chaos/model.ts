/** What the test knows of a source, kept without the program: files of findings that are imported again and again. */

export const statuses = ['OPEN', 'RESOLVED', 'FALSE_POSITIVE', 'IGNORED'] as const
export type Status = (typeof statuses)[number]
const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO'] as const

/** Findings of each asset, and of each file, whose assets are its own. */
const PER_ASSET = 7
export const PER_FILE = 350

interface FindingState {
  readonly status: Status
  /** Whether a person has made the last change of status. */
  readonly isDecided: boolean
  /** Changes of status so far. */
  readonly changes: number
}

interface FileState {
  /** The number of the last import of the file. */
  readonly version: number
  readonly findings: readonly FindingState[]
}

export interface SourceState {
  readonly files: readonly FileState[]
  /** Description of the term of its writer. */
  readonly description: string
}

/** A change of a source, as the program has to perform it: completely or not at all. */
export type Change = (state: SourceState) => SourceState

/** A finding as it is stored. */
export interface StoredFinding {
  id: number
  asset: string
  /** Distinguishes the findings of an asset. */
  number: number
  type: string
  category: string
  severity: string
  status: string
  assetName: string
  changes: number
  isDecided: boolean
}

const assetOf = (file: number, index: number) => `file-${file}/page-${Math.floor(index / PER_ASSET)}`
const nameOf = (key: string, version: number) => `${key} in version ${version}`
export const typeOf = (file: number) => `FILE_${file}`
const categoryOf = (version: number) => `version ${version}`
const severityOf = (version: number) => severities[version % severities.length] as string
/** A quarter of the findings of a file is resolved in it, others in each version. */
const reportedOf = (index: number, version: number): Status => ((index + version) % 4 === 0 ? 'RESOLVED' : 'OPEN')

export const countFindings = ({ files }: SourceState): number => files.length * PER_FILE

/** The lines of an import of some files. */
export function toLines(files: readonly number[], version: number): string {
  const lines = files.flatMap((file) =>
    Array.from({ length: PER_FILE }, (_, index) => {
      const key = assetOf(file, index)
      const status = reportedOf(index, version)
      return JSON.stringify({
        asset: { key, name: nameOf(key, version) },
        detectorType: 'YARA',
        findingType: typeOf(file),
        category: categoryOf(version),
        severity: severityOf(version),
        confidence: (1 + (index % PER_ASSET)) / 100,
        fingerprint: String(index),
        firstDetectedAt: '2026-10-01T08:00:00Z',
        status,
        ...(status === 'RESOLVED' ? { resolvedAt: '2026-10-02T08:00:00Z' } : {}),
      })
    }),
  )
  return lines.join('\n')
}

/** A source after its first import. */
export const toFirstState = (files: number, version: number): SourceState => ({
  description: '',
  files: Array.from({ length: files }, () => ({
    version,
    findings: Array.from({ length: PER_FILE }, (_, index): FindingState => {
      const status = reportedOf(index, version)
      return { status, isDecided: false, changes: status === 'OPEN' ? 0 : 1 }
    }),
  })),
})

/** An import replaces everything except for what people have decided. */
export const importing =
  (numbers: readonly number[], version: number): Change =>
  (state) => ({
    ...state,
    files: state.files.map((file, number) =>
      numbers.includes(number)
        ? {
            version,
            findings: file.findings.map((finding, index): FindingState => {
              const status = reportedOf(index, version)
              if (finding.isDecided || finding.status === status) return finding
              return { status, isDecided: false, changes: finding.changes + 1 }
            }),
          }
        : file,
    ),
  })

/** The findings of a file, or one of them, get a status. */
export const deciding =
  (number: number, index: number | undefined, status: Status): Change =>
  (state) => ({
    ...state,
    files: state.files.map((file, at) =>
      at === number
        ? {
            ...file,
            findings: file.findings.map((finding, place): FindingState => {
              if ((index !== undefined && index !== place) || finding.status === status) return finding
              return { status, isDecided: true, changes: finding.changes + 1 }
            }),
          }
        : file,
    ),
  })

export const describing =
  (description: string): Change =>
  (state) => ({ ...state, description })

/** What differs between the findings that are stored and those of a state. */
export function listDifferences({ files }: SourceState, rows: readonly StoredFinding[]): string[] {
  const differences: string[] = []
  const stored = new Map<string, StoredFinding>()
  for (const row of rows) {
    const key = `${row.asset} ${row.number}`
    if (stored.has(key)) differences.push(`${key} is stored twice`)
    stored.set(key, row)
  }
  for (const [file, { version, findings }] of files.entries()) {
    for (const [index, { status, isDecided, changes }] of findings.entries()) {
      const asset = assetOf(file, index)
      const key = `${asset} ${1 + (index % PER_ASSET)}`
      const row = stored.get(key)
      stored.delete(key)
      const expected = [typeOf(file), categoryOf(version), severityOf(version), status, nameOf(asset, version), changes]
      const found = row && [row.type, row.category, row.severity, row.status, row.assetName, row.changes]
      if (found?.join() !== expected.join() || (changes > 0 && row?.isDecided !== isDecided)) {
        differences.push(`${key} is ${found} ${row?.isDecided}, not ${expected} ${isDecided}`)
      }
    }
  }
  for (const key of stored.keys()) differences.push(`${key} was never written`)
  return differences
}

type Counts = Readonly<Record<string, number>>

function countBy(files: readonly FileState[], nameOf: (file: FileState, finding: FindingState) => string): Counts {
  const counts: Record<string, number> = {}
  for (const file of files) {
    for (const finding of file.findings) {
      const name = nameOf(file, finding)
      counts[name] = (counts[name] ?? 0) + 1
    }
  }
  return counts
}

/** The answers to questions about a source, or several. */
export function toAnswers(files: readonly FileState[]) {
  const assets = files.map(
    ({ findings }) =>
      new Set(findings.flatMap(({ status }, index) => (status === 'OPEN' ? Math.floor(index / PER_ASSET) : []))).size,
  )
  return {
    category: countBy(files, ({ version }) => categoryOf(version)),
    status: countBy(files, (_, { status }) => status),
    severity: countBy(files, ({ version }) => severityOf(version)),
    affectedAssets: assets.reduce((sum, each) => sum + each, 0),
  }
}

import { type CsvValue, toCsvRecord } from '../../kernel/csv.ts'
import { removeInvisible } from '../../kernel/invisible.ts'
import type { ExportedFinding } from './model.ts'

const LABEL_SEPARATOR = '; '

const toPlace = ({ location }: ExportedFinding): string =>
  location === undefined
    ? ''
    : [location.path, location.line, location.column].filter((part) => part !== undefined && part !== '').join(':')

/** The columns in their order. */
const columns: Readonly<Record<string, (finding: ExportedFinding) => CsvValue>> = {
  id: ({ id }) => Number(id),
  source: ({ source }) => source,
  assetKey: ({ asset }) => asset.key,
  assetKind: ({ asset }) => asset.kind,
  assetName: ({ asset }) => asset.name,
  assetUrl: ({ asset }) => asset.url,
  container: ({ asset }) => asset.container,
  owner: ({ asset }) => asset.owner,
  labels: ({ asset }) => asset.labels.join(LABEL_SEPARATOR),
  detectorType: ({ detectorType }) => detectorType,
  findingType: ({ findingType }) => findingType,
  category: ({ category }) => category,
  customDetectorKey: ({ customDetectorKey }) => customDetectorKey,
  severity: ({ severity }) => severity,
  confidence: ({ confidence }) => confidence,
  status: ({ status }) => status,
  presence: ({ presence }) => presence,
  audience: ({ audience }) => audience,
  audienceSize: ({ audienceSize }) => audienceSize,
  value: ({ value }) => value,
  firstDetectedAt: ({ firstDetectedAt }) => firstDetectedAt,
  lastDetectedAt: ({ lastDetectedAt }) => lastDetectedAt,
  resolvedAt: ({ resolvedAt }) => resolvedAt,
  dueAt: ({ dueAt }) => dueAt,
  location: toPlace,
  excerpt: ({ excerpt }) => excerpt,
  fingerprint: ({ fingerprint }) => fingerprint,
}
const readers = Object.values(columns)

export const csvHeader = toCsvRecord(Object.keys(columns))

const toVisible = (value: CsvValue) => (typeof value === 'string' ? removeInvisible(value) : value)

export const toCsv = (finding: ExportedFinding): string => toCsvRecord(readers.map((read) => toVisible(read(finding))))

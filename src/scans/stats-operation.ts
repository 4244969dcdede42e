import { z } from 'zod'
import { severities } from '../detectors/detector.ts'
import { countEstate } from '../findings/counts.store.ts'
import { findingStatuses } from '../findings/model.ts'
import { toInstant } from '../kernel/instant.ts'
import { codeText, ownText } from '../operation/lockdown/disclosure.ts'
import { operation } from '../operation/operation.ts'
import { listSources } from '../sources/sources.store.ts'
import { scanStatuses } from './model.ts'
import { findNewestScan } from './scans.store.ts'

const count = (description: string) => z.number().describe(description)
const instant = ownText().describe('ISO 8601 UTC timestamp.')

const Stats = z.object({
  sources: count('Sources.'),
  assets: z
    .object({
      active: count('Active assets.'),
      deleted: count('Assets deleted on their platform.'),
      byKind: z
        .array(z.object({ kind: codeText().describe('Kind of asset.'), count: count('Active assets.') }))
        .describe('Active assets, by kind.'),
    })
    .describe('Assets.'),
  findings: z
    .object({
      total: count('Findings of every status.'),
      byStatus: z
        .array(z.object({ status: z.enum(findingStatuses).describe('Status.'), count: count('Findings.') }))
        .describe('All findings, by status.'),
      bySeverity: z
        .array(
          z.object({
            severity: z.enum(severities).describe('Severity.'),
            count: count('Findings of every status.'),
            open: count('Open findings.'),
          }),
        )
        .describe('Findings, by severity.'),
      byDetectorType: z
        .array(
          z.object({
            detectorType: codeText().describe('Detector type.'),
            count: count('Findings of every status.'),
            open: count('Open findings.'),
          }),
        )
        .describe('Findings, by detector.'),
    })
    .describe('Findings.'),
  lastScans: z
    .array(
      z.object({
        source: ownText().describe('Name of the source.'),
        scanId: ownText().describe('Id of its newest scan.').optional(),
        status: z.enum(scanStatuses).describe('State of that scan.').optional(),
        finishedAt: instant.optional(),
        lastCompletedScanAt: instant.optional(),
      }),
    )
    .describe('The newest scan of each source.'),
})

export const getStats = operation({
  name: 'get_stats',
  title: 'Get statistics',
  summary: 'Count what is stored: sources, assets by kind, findings by status, severity and detector, newest scans.',
  effect: 'read',
  runsOn: 'query-thread',
  scope: 'read',
  route: 'GET /stats',
  toolset: 'admin',
  input: z.strictObject({}),
  output: Stats,
  run: (_input, context) =>
    context.read((reader) => {
      const { assets, findings } = countEstate(reader)
      const sources = listSources(reader)
      const sum = (rows: readonly { n: number }[]) => rows.reduce((total, { n }) => total + n, 0)
      const active = assets.filter(({ status }) => status === 'ACTIVE')
      const open = findings.filter(({ status }) => status === 'OPEN')
      const detectorTypes = [...new Set(findings.map(({ detectorType }) => detectorType))].sort()
      return {
        sources: sources.length,
        assets: {
          active: sum(active),
          deleted: sum(assets.filter(({ status }) => status === 'DELETED')),
          byKind: active.map(({ kind, n }) => ({ kind, count: n })),
        },
        findings: {
          total: sum(findings),
          byStatus: findingStatuses.map((status) => ({
            status,
            count: sum(findings.filter((row) => row.status === status)),
          })),
          bySeverity: severities.map((severity) => ({
            severity,
            count: sum(findings.filter((row) => row.severity === severity)),
            open: sum(open.filter((row) => row.severity === severity)),
          })),
          byDetectorType: detectorTypes.map((detectorType) => ({
            detectorType,
            count: sum(findings.filter((row) => row.detectorType === detectorType)),
            open: sum(open.filter((row) => row.detectorType === detectorType)),
          })),
        },
        lastScans: sources.map((source) => {
          const scan = findNewestScan(reader, source.id)
          return {
            source: source.name,
            ...(scan === undefined ? {} : { scanId: scan.uid, status: scan.status }),
            ...(typeof scan?.finishedAt === 'number' ? { finishedAt: toInstant(scan.finishedAt) } : {}),
            ...(source.lastCompletedScanAt === null
              ? {}
              : { lastCompletedScanAt: toInstant(source.lastCompletedScanAt) }),
          }
        }),
      }
    }),
})

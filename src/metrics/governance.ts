import type { Author } from '../audit/audit.store.ts'
import { type AppError, invalidInput } from '../kernel/errors.ts'
import type { Writer } from '../store/store.ts'
import { loadInputs } from './dependencies.ts'
import { toDigest } from './drift.ts'
import { auditMetric, current, getStored } from './lifecycle.ts'
import { replaceMetric } from './metrics.store.ts'
import type { MetricRecord } from './model.ts'
import { resolveMetric } from './names.ts'

/** Makes a metric ACTIVE, from any status, recording its present version and the digest of its dependencies. */
export function certifyMetric(writer: Writer, metric: MetricRecord, certifiedBy: string, author: Author): MetricRecord {
  const { id, createdAt, ...members } = metric
  replaceMetric(writer, id, {
    ...members,
    ...current,
    status: 'ACTIVE',
    certifiedBy,
    certifiedAt: author.at,
    certifiedVersion: metric.version,
    certifiedVia: author.via,
    certifiedDigest: toDigest(writer, metric, loadInputs(writer, metric)),
    updatedAt: author.at,
  })
  const certified = getStored(writer, metric.slug)
  auditMetric(writer, author, 'certify', metric, certified)
  return certified
}

export interface Deprecation {
  deprecatedBy: string
  reason?: string | undefined
  /** Slug, id, display name or synonym of the successor. */
  replacedBy?: string | undefined
}

/** @throws AppError `not_found` for an unknown successor, `invalid_input` for an unusable one */
export function deprecateMetric(
  writer: Writer,
  metric: MetricRecord,
  deprecation: Deprecation,
  author: Author,
): MetricRecord {
  const successor = deprecation.replacedBy === undefined ? null : resolveMetric(writer, deprecation.replacedBy)
  if (successor?.slug === metric.slug) throw badSuccessor('a metric cannot replace itself; name another one.')
  if (successor?.status === 'DEPRECATED') {
    const further = successor.replacedBy === null ? 'name another one.' : `name its successor ${successor.replacedBy}.`
    throw badSuccessor(`${successor.slug} is itself deprecated; ${further}`)
  }
  const { id, createdAt, ...members } = metric
  replaceMetric(writer, id, {
    ...members,
    status: 'DEPRECATED',
    deprecatedBy: deprecation.deprecatedBy,
    deprecatedAt: author.at,
    deprecationReason: deprecation.reason ?? null,
    replacedBy: successor?.slug ?? null,
    updatedAt: author.at,
  })
  const deprecated = getStored(writer, metric.slug)
  auditMetric(writer, author, 'deprecate', metric, deprecated)
  return deprecated
}

function badSuccessor(message: string): AppError {
  return invalidInput(`The successor is not valid: ${message}`, { issues: [{ path: 'replacedBy', message }] })
}

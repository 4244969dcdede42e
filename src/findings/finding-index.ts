import type { Reader } from '../store/store.ts'
import type { FilterCondition } from './conditions.ts'

/** The orders of the list; within equal values, newest first. */
export const findingOrders = ['newest', 'severity', 'lastDetectedAt'] as const
export type FindingOrder = (typeof findingOrders)[number]

/** Which findings a list has. */
export interface IndexedFindings {
  conditions: readonly FilterCondition[]
  /** Row ids of the assets that they are in; absent: in any. */
  assets?: readonly number[] | undefined
}

export interface IndexedPage extends IndexedFindings {
  /** Examples: open ones first, then by severity, confidence and recency, and the oldest id first. */
  sort: FindingOrder | 'examples'
  limit: number
  /** The sort keys of the last finding of the previous page, with its id. */
  after?: readonly number[] | undefined
  /** The greatest id that is listed. */
  upTo: number
}

export interface IndexedAssets {
  /** Conditions on the assets themselves, and on one of the findings of each. */
  own: readonly FilterCondition[]
  ofFindings: readonly FilterCondition[]
  status?: 'ACTIVE' | 'DELETED' | undefined
  limit: number
  after: number
}

/** Finds findings without reading them from the database. Every answer is undefined where SQL has to find them. */
export interface FindingIndex {
  /** Row ids in the order of the list. */
  listIds(asked: IndexedPage): number[] | undefined
  count(asked: IndexedFindings): number | undefined
  /** Row ids of assets, ascending. */
  listAssets(asked: IndexedAssets): number[] | undefined
}

const indexes = new WeakMap<Reader, FindingIndex>()

export function attachIndex(reader: Reader, index: FindingIndex | undefined): void {
  if (index === undefined) indexes.delete(reader)
  else indexes.set(reader, index)
}

/** The index that serves a reader, if there is one. */
export const findIndex = (reader: Reader): FindingIndex | undefined => indexes.get(reader)

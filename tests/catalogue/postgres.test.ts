import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { call, type Operation } from '../../src/operation/operation.ts'
import { Store } from '../../src/store/store.ts'
import { readEstate } from '../../src/telemetry/estate.store.ts'
import { createTelemetry } from '../../src/telemetry/telemetry.ts'
import { contextOf } from '../support/context.ts'
import { createDatabase, missingPostgres, openPostgresStore, startPostgres } from '../support/postgres.ts'
import { type EstateIds, NOON, plantEstate, tokenHolder } from './estate.ts'
import { examples } from './examples.ts'
import { withoutIds } from './without-ids.ts'

describe.skipIf(missingPostgres !== undefined)(`every operation on PostgreSQL ${missingPostgres ?? ''}`, () => {
  const closers: (() => void)[] = []
  const estates: { store: Store; ids: EstateIds }[] = []

  beforeAll(async () => {
    const server = await startPostgres()
    const database = createDatabase(server)
    const folder = mkdtempSync(join(tmpdir(), 'assay-operations-'))
    closers.push(() => rmSync(folder, { recursive: true }), server.stop, database.drop)
    for (const open of [
      (now: () => number) => Store.open(join(folder, 'assay.db'), { now }),
      (now: () => number) => openPostgresStore(database.connectionString, now),
    ]) {
      const clock = { now: NOON - 20 * 86_400_000 }
      const store = open(() => clock.now)
      closers.push(() => store.close())
      estates.push({ store, ids: await plantEstate(store, clock) })
    }
  }, 300_000)
  afterAll(() => {
    for (const close of closers.reverse()) close()
  })

  const ask = async (operation: Operation, { store, ids }: (typeof estates)[number]): Promise<string[]> => {
    const answers: string[] = []
    for (const input of examples[operation.name]?.(ids) ?? []) {
      const context = contextOf({ store, now: () => NOON, caller: tokenHolder })
      const answer = await call(operation, structuredClone(input), context).catch((error: unknown) => {
        const { message, facts } = error as AppError
        return error instanceof AppError ? { message, facts } : { broken: String(error) }
      })
      answers.push(withoutIds(JSON.stringify(answer)))
    }
    return answers
  }

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s answers as in a file',
    async (_, operation) => {
      const [inFile = [], own] = [await ask(operation, estates[0] as never), await ask(operation, estates[1] as never)]
      expect(inFile.length).toBeGreaterThan(0)
      expect(own).toEqual(inFile)
    },
    120_000,
  )

  it('metrics for Prometheus are the same', async () => {
    const texts: string[] = []
    for (const { store } of estates) {
      const upstream = { take: () => undefined, add: () => {} } as never
      const telemetry = createTelemetry({
        files: store.files,
        readEstate: () => readEstate(store, { problem: () => undefined }, NOON),
        upstream,
      })
      texts.push(withoutIds((await telemetry.read()).replace(/^(?:# .*|.*(?:process|nodejs|bytes).*)$\n/gm, '')))
      telemetry.close()
    }
    expect(texts[0]).toContain('scan_items_total')
    expect(texts[1]).toBe(texts[0])
  })
})

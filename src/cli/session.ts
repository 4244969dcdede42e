import { once } from 'node:events'
import { AppError, notFound } from '../kernel/errors.ts'
import { type PrintableText, quote, showJson } from '../kernel/shown.ts'
import type { Progress } from '../operation/context.ts'
import type { ExportFormat } from '../operation/operation.ts'
import type { Flags, Host, HostApp } from './host.ts'

/** Runs operations on an opened data folder, for one command. */
export interface Session {
  app: HostApp
  /** @throws AppError `not_found` for an unknown operation, and any error of the operation */
  call<Answer = unknown>(
    operation: string,
    input: Record<string, unknown>,
    progress?: (progress: Progress) => void,
  ): Promise<Answer>
  /** Writes the answer to stdout as a file, no faster than it is read. @throws AppError as `call` */
  write(operation: string, format: ExportFormat, input: Record<string, unknown>): Promise<void>
}

/** Opens the data folder, runs `work`, and always closes the folder. */
export async function withSession<T>(host: Host, flags: Flags, work: (session: Session) => Promise<T>): Promise<T> {
  const app = await host.open({ logLevel: 'warn', ...flags })
  const session: Session = {
    app,
    call: async <Answer>(name: string, input: Record<string, unknown>, progress?: (progress: Progress) => void) => {
      const operation = app.operations.find((candidate) => candidate.name === name)
      if (operation === undefined) throw unknownOperation(name)
      const context = app.contextFor({
        caller: app.caller,
        signal: host.signal,
        ...(progress === undefined ? {} : { progress }),
      })
      const { call } = await import('../operation/operation.ts')
      return (await call(operation, input, context)) as Answer
    },
    write: async (name, format, input) => {
      const write = app.operations.find((candidate) => candidate.name === name)?.files?.[format]
      if (write === undefined) throw unknownOperation(name)
      const context = app.contextFor({ caller: app.caller, signal: host.signal })
      for await (const text of write(input, context)) {
        if (!host.stdout.write(text)) await once(host.stdout, 'drain', { signal: host.signal })
      }
    },
  }
  try {
    return await work(session)
  } finally {
    await app.close()
  }
}

const unknownOperation = (name: string): AppError =>
  notFound(`There is no operation ${quote(name)}; \`assay call --list\` lists them all.`)

export function print(host: Pick<Host, 'stdout'>, ...lines: readonly PrintableText[]): void {
  host.stdout.write(`${lines.join('\n')}\n`)
}

/** Prints the REST response alone. */
export function printJson(host: Host, answer: unknown): void {
  print(host, showJson(answer))
}

/** Reads a stream to its end as text, up to a limit. */
export async function readText(stream: AsyncIterable<Uint8Array | string>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk
    length += bytes.byteLength
    if (length > maxBytes) throw new AppError('too_large', `The input is larger than ${maxBytes} bytes; split it.`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

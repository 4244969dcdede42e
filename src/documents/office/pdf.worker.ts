import { lowerThreadPriority } from '../../runtime/thread-priority.ts'
import { serveCalls } from '../../runtime/worker-rpc.ts'
import type { AssayDocument } from '../document.ts'
import type { UnreadableFile } from './archive.ts'
import { parsePdf } from './pdf.ts'

export type PdfProtocol = {
  calls: {
    parse: { input: { bytes: Uint8Array; site: string | undefined }; reply: AssayDocument | UnreadableFile }
  }
  notices: Record<never, never>
  events: Record<never, never>
}

lowerThreadPriority()
serveCalls<PdfProtocol>({ calls: { parse: ({ bytes, site }) => parsePdf(bytes, { site }) } })

import { getDocumentProxy } from 'unpdf'
import type { AssayDocument } from '../document.ts'
import { MAX_PDF_MS, MAX_PDF_PAGES, MAX_TEXT_CHARS } from '../limits.ts'
import { addLink } from '../markup/elements.ts'
import { createFlow } from '../text/flow.ts'
import type { UnreadableFile } from './archive.ts'

type Opened = Awaited<ReturnType<typeof getDocumentProxy>>

async function open(bytes: Uint8Array): Promise<Opened | UnreadableFile> {
  try {
    const options = { verbosity: 0, isEvalSupported: false, disableFontFace: true, useSystemFonts: false }
    return await getDocumentProxy(bytes, options)
  } catch (error) {
    return error instanceof Error && error.name === 'PasswordException'
      ? { status: 'encrypted', reason: 'The PDF is protected by a password.' }
      : { status: 'damaged', reason: 'The PDF cannot be read.' }
  }
}

/** Reads the text of a PDF page by page; stops after MAX_PDF_PAGES pages or MAX_PDF_MS, and adds a note. */
export async function parsePdf(
  bytes: Uint8Array,
  options: { site?: string | undefined; now?: () => number } = {},
): Promise<AssayDocument | UnreadableFile> {
  const now = options.now ?? (() => performance.now())
  const deadline = now() + MAX_PDF_MS
  const pdf = await open(bytes)
  if ('status' in pdf) return pdf
  const flow = createFlow()
  let written = 0
  try {
    for (let number = 1; number <= pdf.numPages; number++) {
      if (number > MAX_PDF_PAGES || now() > deadline || written > MAX_TEXT_CHARS) {
        flow.note(`Only the first ${number - 1} of ${pdf.numPages} pages are read.`)
        break
      }
      flow.startSection(`page ${number}`)
      const page = await pdf.getPage(number)
      for (const item of (await page.getTextContent()).items) {
        const { str = '', hasEOL = false } = item as { str?: string; hasEOL?: boolean }
        flow.plain(str, 0)
        written += str.length
        if (hasEOL) flow.breakLine(0)
      }
      for (const { url, unsafeUrl } of await page.getAnnotations()) {
        addLink(flow, url ?? unsafeUrl, { site: options.site, path: `page ${number}` })
      }
      page.cleanup()
    }
  } catch {
    return { status: 'damaged', reason: 'The PDF cannot be read.' }
  } finally {
    await pdf.loadingTask.destroy().catch(() => {})
  }
  return flow.finish('application/pdf')
}

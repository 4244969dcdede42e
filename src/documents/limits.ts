/** Limits that bound the cost of a hostile document; sizes are in UTF-16 code units unless the name says otherwise. */
export const MAX_PART_CHARS = 2 * 1024 * 1024
export const MAX_TEXT_CHARS = 16 * 1024 * 1024
export const MAX_PARTS = 20_000
/** Limit on section parts; later headings stay inside the last part. */
export const MAX_SECTIONS = 1_000
/** Elements nested deeper are flattened: their text is kept, their structure is not. */
export const MAX_DEPTH = 512
export const MAX_ATTRIBUTES = 1_000
/** Limit on the name of an element or attribute. */
export const MAX_NAME_CHARS = 200
export const MAX_ATTRIBUTE_CHARS = 65_536
export const MAX_LINKS = 5_000
export const MAX_ANCHORS = 2_000
export const MAX_LABEL_CHARS = 200

export const MAX_ZIP_ENTRIES = 2_000
export const MAX_INFLATED_BYTES = 50 * 1024 * 1024
/** Limit on inflated bytes per compressed byte: office files are far below it, zip bombs far above. */
export const MAX_INFLATE_RATIO = 200
export const MAX_PDF_PAGES = 300
export const MAX_PDF_MS = 15_000
/** Limit on the memory of the thread that reads a PDF, beyond the file itself. */
export const MAX_PDF_BYTES = 96 * 1024 * 1024
export const MAX_FILE_BYTES = 64 * 1024 * 1024

import { createRequire } from 'node:module'

// biome-ignore lint/style/noDefaultExport: it is imported in the place of the package.
export default createRequire(import.meta.url)('typescript') as typeof import('typescript')

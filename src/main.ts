#!/usr/bin/env node
import { explainUnsupported } from './runtime/supported-node.ts'

// Nothing else is imported statically, because older versions of Node.js cannot read the rest of the program.

const unsupported = explainUnsupported(process.versions.node)
if (unsupported === undefined) {
  const { enableCompileCache } = await import('node:module')
  // In the package: whoever can write the cache can also write the program. A folder for all users would not be safe.
  enableCompileCache(`${import.meta.dirname}/code-cache`)
  await import('./program.ts')
} else {
  process.stderr.write(`assay: ${unsupported}\n`)
  process.exitCode = 1
}

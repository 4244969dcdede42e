#!/usr/bin/env node
import { explainUnsupported } from './runtime/supported-node.ts'

// Nothing else is imported statically, because older versions of Node.js cannot read the rest of the program.

const unsupported = explainUnsupported(process.versions.node)
if (unsupported === undefined) {
  if (import.meta.filename.endsWith('.js')) {
    const { enableCompileCache } = await import('node:module')
    // In the package and writable by its owner only: whoever can write the cache can then also write the program.
    const umask = process.umask(0o022)
    enableCompileCache(`${import.meta.dirname}/code-cache`)
    process.umask(umask)
  }
  await import('./program.ts')
} else {
  process.stderr.write(`assay: ${unsupported}\n`)
  process.exitCode = 1
}

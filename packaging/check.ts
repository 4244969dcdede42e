import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

// Runs all checks at once; with `--build` the program is built meanwhile. What a check prints is shown when it fails.

// The compiler is written in Go, which spends a fifth of its time on collecting garbage unless its heap may grow.
process.env.GOGC ??= '400'

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  scripts: Readonly<Record<string, string>>
}
const names = ['typecheck', ...Object.keys(scripts).filter((name) => name.startsWith('check:'))]
if (process.argv.includes('--build')) names.push('build')

async function run(name: string): Promise<boolean> {
  const startedAt = performance.now()
  const child = spawn(scripts[name] ?? '', { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n${code === 0 ? '' : `${output}\n`}`)
  return code === 0
}

const results = await Promise.all(names.map(run))
if (results.includes(false)) process.exitCode = 1

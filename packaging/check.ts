import { spawn } from 'node:child_process'

// Runs all checks at once; with `--build` the program is built meanwhile. What a check prints is shown when it fails.

const commands: Readonly<Record<string, string>> = {
  types: 'tsc -p tsconfig.json --noEmit',
  format: 'biome check .',
  rooms: 'depcruise src --config .dependency-cruiser.cjs',
  unused: 'knip --no-progress',
  generated: 'tsx src/generate.ts --check',
  ...(process.argv.includes('--build') ? { build: 'tsx build.ts' } : {}),
}

async function run(name: string, command: string): Promise<boolean> {
  const startedAt = performance.now()
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  process.stdout.write(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n${code === 0 ? '' : `${output}\n`}`)
  return code === 0
}

const results = await Promise.all(Object.entries(commands).map(([name, command]) => run(name, command)))
if (results.includes(false)) process.exitCode = 1

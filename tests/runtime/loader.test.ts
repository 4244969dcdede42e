import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildLoader, writeFiles } from '../../packaging/scripts.ts'
import { isLong } from '../support/long.ts'

// The loader with a small program of its own: a script, what it requires, and what it loads late.

const folder = mkdtempSync(join(tmpdir(), 'assay-loader-'))
const cacheFolder = join(folder, 'code-cache')
const scripts = {
  'main.js':
    'const{add}=require("./chunks/add.js");exports.sum=add(1,2);console.log(exports.sum,require("node:path").basename(__filename));Promise.resolve().then(()=>require("./chunks/late.js")).then(({name})=>console.log(name))',
  'chunks/add.js': 'exports.add=(one,other)=>one+other;exports.again=()=>require("../main.js").sum',
  'chunks/late.js': 'const{again}=require("./add.js");exports.name="late "+again()',
}
/** Of damaged bits, in the index and in the code. */
const PLACES = isLong ? 5 : 2
const OUTPUT = '3 main.js\nlate 3\n'

const run = (...flags: string[]) =>
  execFileSync(process.execPath, [...flags, join(folder, 'start.js')], { encoding: 'utf8' })
const writeScript = (name: string, text: string) => {
  mkdirSync(dirname(join(folder, 'scripts', name)), { recursive: true })
  writeFileSync(join(folder, 'scripts', name), text)
}
const listCaches = () => readdirSync(cacheFolder).map((name) => join(cacheFolder, name))

function readCache(): { file: string; bytes: Buffer; changedAt: bigint } {
  const [file = '', ...others] = listCaches()
  expect(others).toEqual([])
  return { file, bytes: readFileSync(file), changedAt: statSync(file, { bigint: true }).mtimeNs }
}

beforeAll(async () => {
  writeFiles(await buildLoader(folder))
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }')
  writeFileSync(join(folder, 'start.js'), 'require("./loader.js").run("main")')
})
beforeEach(() => {
  rmSync(cacheFolder, { recursive: true, force: true })
  for (const [name, text] of Object.entries(scripts)) writeScript(name, text)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the loader of the built program', () => {
  it('keeps what V8 has compiled, and uses it as long as the scripts are the same', () => {
    expect(run()).toBe(OUTPUT)
    const first = readCache()
    expect(run()).toBe(OUTPUT)
    expect(readCache()).toEqual(first)
    // The same length, which is all that V8 compares.
    writeScript('chunks/add.js', scripts['chunks/add.js'].replace('one+other', 'one-other'))
    expect(run()).toBe('-1 main.js\nlate -1\n')
    expect(readCache().bytes.length).toBeGreaterThan(first.bytes.length)
  })

  it('compiles scripts where the file with compiled code is damaged, and repairs it', () => {
    run()
    const { file, bytes } = readCache()
    const damages = [
      Buffer.alloc(0),
      bytes.subarray(0, 3),
      bytes.subarray(0, bytes.length >> 1),
      Buffer.concat([Buffer.from([255, 255, 255, 255]), bytes.subarray(4)]),
      Buffer.alloc(bytes.length),
      ...Array.from({ length: PLACES }, (_, turn) => {
        const damaged = Buffer.from(bytes)
        const place = Math.floor((turn / PLACES) * bytes.length)
        damaged[place] = (damaged[place] ?? 0) ^ 1
        return damaged
      }),
    ]
    for (const damaged of damages) {
      writeFileSync(file, damaged)
      expect(run()).toBe(OUTPUT)
    }
    writeFileSync(file, Buffer.alloc(100))
    run()
    const { changedAt } = readCache()
    run()
    expect(readCache().changedAt).toBe(changedAt)
  })

  it('keeps code that was compiled under other flags of V8 apart', () => {
    run()
    run('--max-lazy')
    expect(listCaches()).toHaveLength(2)
    expect(run()).toBe(OUTPUT)
  })

  it('runs where nothing can be written', () => {
    writeFileSync(cacheFolder, 'in the place of the folder')
    expect(run()).toBe(OUTPUT)
    rmSync(cacheFolder)
    chmodSync(folder, 0o555)
    try {
      expect(run()).toBe(OUTPUT)
    } finally {
      chmodSync(folder, 0o755)
    }
  })

  it('leaves scripts to Node.js where source maps are asked for', () => {
    expect(run('--enable-source-maps')).toBe(OUTPUT)
    expect(() => listCaches()).toThrow('ENOENT')
  })
})

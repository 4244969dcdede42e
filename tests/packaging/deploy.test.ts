import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { Host } from '../../src/cli/host.ts'
import { createProgram } from '../../src/cli/program.ts'
import { loadConfig } from '../../src/config.ts'
import { toStorePlace } from '../../src/store/store-place.ts'

type Tree = { [key: string]: never }
type Environment = Record<string, string>

/** A container of the examples that runs Assay. */
interface Container {
  name: string
  args: string[]
  env: Environment
  /** Its probes, as addresses, and the ports that it names. */
  probes: string[]
  ports: number[]
}

const read = (file: string) => readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8')
const parse = (file: string) =>
  parseAllDocuments(read(file), { merge: true }).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS() as Tree
  })
const deploy = readdirSync(new URL('../../deploy/', import.meta.url)).sort()
const [compose = {}] = parse('compose.yaml')
const manifests = parse('kubernetes.yaml')

const services = Object.entries(compose.services ?? {}) as [
  string,
  Tree & { command?: string[]; environment?: Environment },
][]
const composed: Container[] = services
  .filter(([, { image }]) => image === 'assay')
  .map(([name, { command = [], environment = {}, healthcheck = { test: [] } }]) => ({
    name,
    args: command,
    env: environment,
    probes: [...JSON.stringify(healthcheck).matchAll(/http:\/\/127\.0\.0\.1(:\d+\/\w+)/g)].map(([, at = '']) => at),
    ports: [],
  }))

interface Manifest {
  kind: string
  metadata: { name: string }
  data: Environment
  spec: {
    selector: Tree & { matchLabels?: Tree }
    ports: { targetPort: number }[]
    template: {
      metadata: { labels: Tree }
      spec: { containers: Tree[]; volumes: { secret?: { secretName: string } }[] }
    }
  }
}
type HttpProbe = { httpGet: { path: string; port: number } }
interface PodContainer {
  args: string[]
  envFrom: { configMapRef: { name: string } }[]
  env?: { name: string; value: string }[]
  ports: { containerPort: number }[]
  livenessProbe: HttpProbe
  readinessProbe: HttpProbe
}
const all = manifests as unknown as Manifest[]
const configs = new Map(
  all.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata, data }) => [metadata.name, data]),
)
const workloads = all.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
const orchestrated: Container[] = workloads
  .filter(({ kind }) => kind === 'Deployment')
  .map(({ metadata: { name }, spec }) => {
    const {
      args,
      envFrom,
      env = [],
      ports,
      livenessProbe,
      readinessProbe,
    } = spec.template.spec.containers[0] as unknown as PodContainer
    return {
      name,
      args,
      env: Object.assign(
        {},
        ...envFrom.map(({ configMapRef }) => configs.get(configMapRef.name)),
        Object.fromEntries(env.map((each) => [each.name, each.value])),
      ) as Environment,
      probes: [livenessProbe, readinessProbe].map(({ httpGet: { path, port } }) => `:${port}${path}`),
      ports: ports.map(({ containerPort }) => containerPort),
    }
  })

const program = await createProgram({ version: '0.0.0' } as Host)
/** Names of variables that the program reads. */
const variables = new Set(
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(join('src', file), 'utf8').matchAll(/\bASSAY_[A-Z_]+\b/g)].map(([name]) => name),
    ),
)

/** A file in the place of each one that a variable names. */
function withFiles(env: Environment): Environment {
  const folder = mkdtempSync(join(tmpdir(), 'assay-deploy-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'file')
  writeFileSync(file, '-----BEGIN CERTIFICATE-----')
  const shown = Object.entries(env).map(([name, value]) => [name, value.replaceAll(/\/run\/secrets\/[\w./-]+/g, file)])
  return Object.fromEntries(shown) as Environment
}

describe.each([...composed, ...orchestrated])('the example of $name', ({ args, env, probes, ports }) => {
  const [name = '', ...options] = args
  const command = program.commands.find((each) => each.name() === name)
  const parsed = () => {
    command?.parseOptions(options)
    return command?.opts() as { host?: string; background?: boolean }
  }

  it('names a command and options of the program', () => {
    expect(['serve', 'worker']).toContain(name)
    expect(command?.parseOptions(options)).toEqual({ operands: [], unknown: [] })
  })

  it('names variables that the program reads, with values that it accepts', () => {
    const own = Object.keys(env).filter((each) => each.startsWith('ASSAY_'))
    expect(own).toEqual(expect.arrayContaining(['ASSAY_STORE', 'ASSAY_STORE_PASSWORD_FILE', 'ASSAY_KEY_FILE']))
    expect(own.filter((each) => !variables.has(each))).toEqual([])
    const given = withFiles(env)
    const { host, background } = parsed()
    const config = loadConfig({ home: '/data', ...(host === undefined ? {} : { host }) }, given)
    expect(toStorePlace('/data', given)).toMatchObject({
      kind: 'postgres',
      address: { user: 'assay', database: 'assay' },
    })
    // Behind a balancer, scheduled work is left to workers.
    if (name === 'serve')
      expect([background, config.publicUrl, config.trustProxy.length]).toEqual([false, expect.any(String), 1])
  })

  it('has probes and ports that its role answers', () => {
    const { port, probePort } = loadConfig({ home: '/data' }, {})
    const own = name === 'serve' ? port : probePort
    expect(ports.filter((each) => each !== own)).toEqual([])
    const known = [`:${own}/health`, `:${own}/ready`]
    expect(probes.filter((each) => !known.includes(each))).toEqual([])
    // In a container, a server has the check of the image.
    expect(probes.length > 0 || name === 'serve').toBe(true)
  })
})

it('there are two servers and a worker in each example, and no other file than those tested here', () => {
  const roles = (list: readonly Container[]) => list.map(({ args }) => args[0]).sort()
  expect(roles(composed)).toEqual(['serve', 'serve', 'worker'])
  expect(roles(orchestrated)).toEqual(['serve', 'worker'])
  expect(deploy).toEqual(['Caddyfile', 'assay.service', 'compose.yaml', 'kubernetes.yaml'])
})

it('the unit of systemd runs a command of the program in a folder that only its user can open', () => {
  const unit = Object.fromEntries(
    [...read('assay.service').matchAll(/^(\w+)=(.+)$/gm)].map(([, key, value]) => [key, value]),
  )
  const [, name] = /^\/usr\/bin\/env assay (\w+)$/.exec(unit.ExecStart) ?? []
  expect(program.commands.map((each) => each.name())).toContain(name)
  expect(unit).toMatchObject({ Environment: `ASSAY_HOME=/var/lib/${unit.StateDirectory}`, StateDirectoryMode: '0700' })
})

it('only the user of Assay may write to the data folder', () => {
  const own = services.filter(([, { image }]) => image === 'assay')
  expect(own.map(([, { tmpfs }]) => tmpfs)).toEqual(own.map(() => ['/data:uid=1000,mode=0700']))
  expect(orchestrated.map(({ env }) => env.ASSAY_HOME)).toEqual(orchestrated.map(() => '/data/assay'))
})

it('the balancer sends requests to the servers, and asks whether they are ready', () => {
  const text = read('Caddyfile')
  const targets = /reverse_proxy ([^{]+)\{/.exec(text)?.[1]?.trim().split(' ')
  const { port } = loadConfig({ home: '/data' }, {})
  const servers = composed.filter(({ args }) => args[0] === 'serve').map((each) => each.name)
  expect(targets).toEqual(servers.map((name) => `${name}:${port}`))
  expect(services.filter(([name, { hostname }]) => servers.includes(name) && hostname !== name)).toEqual([])
  expect(/health_uri (\S+)/.exec(text)?.[1]).toBe('/ready')
  const listened = /^:(\d+)/m.exec(text)?.[1]
  expect(JSON.stringify(compose.services)).toContain(`"127.0.0.1:${listened}:${listened}"`)
})

it('services, workloads and secrets of the Kubernetes example belong together', () => {
  const labels = workloads.map(({ spec }) => {
    expect(spec.selector.matchLabels).toEqual(spec.template.metadata.labels)
    return JSON.stringify(spec.template.metadata.labels)
  })
  const targets = all.filter(({ kind }) => kind === 'Service').map(({ spec }) => JSON.stringify(spec.selector))
  expect(targets.filter((each) => !labels.includes(each))).toEqual([])
  const created = [...read('kubernetes.yaml').matchAll(/^# +kubectl create secret generic (\S+)/gm)].map(
    ([, name]) => name,
  )
  const used = workloads.flatMap(({ spec }) =>
    spec.template.spec.volumes.flatMap(({ secret }) => secret?.secretName ?? []),
  )
  expect([...new Set(used)].sort()).toEqual(created.sort())
  const words = [...read('kubernetes.yaml').matchAll(/main\.js (\w+) (\w+)/g)].map(([, ...names]) => names)
  expect(words).toEqual([['token', 'create']])
})

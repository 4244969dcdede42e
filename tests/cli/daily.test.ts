import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createUnit, memorySettings, writeUnit } from '../../src/cli/service-unit.ts'
import { importFindings, keys, type OpenCommandLine, openCommandLine } from './command-line.ts'

async function openWithFindings(): Promise<OpenCommandLine> {
  const cli = openCommandLine()
  const findings = ['CRITICAL', 'HIGH', 'HIGH', 'LOW'].map((severity, id) => ({ id, severity, daysAgo: id + 1 }))
  await importFindings(cli, findings)
  return cli
}

async function must({ run }: OpenCommandLine, ...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(argv)
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

describe('assay terms', () => {
  it('makes, lists and shows a term without any JSON', async () => {
    const cli = await openWithFindings()
    const made = await must(
      cli,
      ...'terms create urgent --severities CRITICAL,HIGH --description'.split(' '),
      'Act now',
    )
    expect(made.split('\n')[0]).toBe('Urgent (urgent) covers 3 findings.')
    expect(await must(cli, 'terms')).toMatch(/^urgent +Urgent +severities CRITICAL, HIGH$/m)
    expect(await must(cli, 'terms', 'show', 'Urgent')).toContain('Act now')
    expect(await must(cli, 'terms', 'certify', 'urgent')).toBe('urgent was reviewed already.\n')
  })

  it('asks on a terminal which findings a term covers', async () => {
    const cli = await openWithFindings()
    const made = await cli.type(
      ['terms', 'create'],
      [
        ['A permanent name', `urgent${keys.enter}`],
        ['Findings of which detectors?', keys.enter],
        ['Of which severities?', `${keys.space}${keys.enter}`],
        ['In which status?', keys.enter],
      ],
    )
    expect([made.code, made.stdout.split('\n')[0]]).toEqual([0, 'Urgent (urgent) covers 1 finding.'])
    const refused = await cli.run(['terms', 'create'])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('give a slug and a filter')])
  })
})

describe('assay metrics', () => {
  it('makes a metric that can be asked, broken down and certified', async () => {
    const cli = await openWithFindings()
    const made = await must(
      cli,
      ...'metrics create open-high --mode stock --severities HIGH --statuses OPEN'.split(' '),
    )
    expect(made).toContain('open-high is created as a draft.')
    expect(await must(cli, 'query', 'open-high', '--by', 'source')).toContain('Open high: 2')
    expect(await must(cli, 'metrics', 'certify', 'open-high', '--by', 'Ann', '--yes')).toMatch(
      /Certified by .+ for Ann on/,
    )
    expect(await must(cli, 'metrics', 'show', 'open-high')).toMatch(/^filters\.severities: +HIGH$/m)
    expect(await must(cli, 'metrics', '--search', 'open-high')).toMatch(/^open-high +Open high +SIMPLE +certified/m)
  })

  it.each([
    ['a ratio', ['--numerator', 'open-findings', '--denominator', 'total-findings'], 'RATIO'],
    ['a formula', ['--formula', 'open_findings / max(total_findings, 1)'], 'DERIVED'],
    ['a trend', ['--trend-of', 'new-findings', '--window', '7d'], 'TREND'],
    ['a percentile of assets', ['--of', 'asset', '--aggregation', 'median', '--field', 'openFindings'], 'SIMPLE'],
  ])('makes %s', async (_, options, type) => {
    const cli = await openWithFindings()
    const made = JSON.parse(await must(cli, 'metrics', 'create', 'mine', ...options, '--json'))
    expect([made.type, made.allowedDimensions.length > 0]).toEqual([type, true])
    expect(await must(cli, 'query', 'mine')).toContain('Mine: ')
  })

  it('asks on a terminal what a metric counts', async () => {
    const cli = await openWithFindings()
    const made = await cli.type(
      ['metrics', 'create'],
      [
        ['A permanent name', `mine${keys.enter}`],
        ['What does it count?', keys.enter],
        ['Findings of which detectors?', keys.enter],
        ['Of which severities?', `${keys.down}${keys.space}${keys.enter}`],
        ['In which status?', keys.enter],
      ],
    )
    expect(made.code).toBe(0)
    expect(await must(cli, 'query', 'mine')).toContain('Mine: 2')
  })

  it('refuses options of two types', async () => {
    const { run } = openCommandLine()
    const { code, stderr } = await run(['metrics', 'create', 'mine', '--formula', 'a', '--window', '7d'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('Give a ratio')])
  })
})

describe('assay findings ID and triage', () => {
  it('shows one finding, and decides on several by filter options', async () => {
    const cli = await openWithFindings()
    const [found] = JSON.parse(await must(cli, 'findings', '--severities', 'CRITICAL', '--json')).items
    expect(await must(cli, 'findings', found.id)).toContain(`assay triage ${found.id} --as resolved`)
    const asked = await cli.run(['findings', found.id, '--severities', 'LOW'])
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--severities cannot be used with the id')])
    expect(await must(cli, 'triage', '--severities', 'HIGH', '--as', 'resolved', '--yes')).toContain('2 of 2 changed')
    await must(cli, 'triage', found.id, '--as', 'ignored', '--reason', 'accepted by the team', '--yes')
    expect(await must(cli, 'findings', found.id)).toMatch(
      /OPEN → IGNORED by \S+ \(cli\): 'accepted by the team'|OPEN → IGNORED by \S+ \(cli\): accepted by the team/,
    )
  })

  it('watches a metric with filter options', async () => {
    const cli = await openWithFindings()
    await must(cli, 'watch', 'create', 'no-lows', '--metric', 'open-findings', '--severities', 'LOW', '--above', '0')
    const { code, stderr } = await cli.run(['check'])
    expect([code, stderr]).toEqual([1, 'assay: 1 of 1 watch fires.\n'])
  })
})

describe('assay dashboard', () => {
  it('shows the series of a rate, as the console draws it', async () => {
    const cli = await openWithFindings()
    const series = JSON.parse(await must(cli, 'query', 'false-positive-rate', '--series', 'month', '--json'))
    const value = JSON.parse(await must(cli, 'query', 'false-positive-rate', '--json'))
    expect(series).toMatchObject({ granularity: 'month', metric: { slug: 'false-positive-rate' } })
    expect(series.timeSeries.length).toBeGreaterThan(0)
    expect(value.metric).toEqual(series.metric)
    expect(await must(cli, 'query', 'false-positive-rate', '--series', 'month')).toMatch(/^False positive rate\n/m)
  })

  it('shows the usual dashboard, one by name, and the list', async () => {
    const cli = await openWithFindings()
    expect(await must(cli, 'dashboard')).toMatch(/^Dashboard discovery\n/)
    // The minute may end between the two.
    const show = async (...named: string[]) => (await must(cli, 'dashboard', ...named)).replaceAll(/\d\d:\d\d/g, '')
    expect(await show('discovery')).toBe(await show())
    expect(await must(cli, 'dashboards')).toMatch(/^discovery +\d+$/m)
    expect((await cli.run(['dashboard', 'none'])).code).toBe(1)
  })
})

describe('assay console', () => {
  it('prints and opens the address of a server that answers', async () => {
    const server = createServer((_, response) => response.end('{}'))
    onTestFinished(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const cli = openCommandLine({}, { address })
    expect(await must(cli, 'console', '--print')).toBe(`${address}/console/\n`)
    expect((await cli.run(['console'])).stderr).toContain('open this address yourself')
    await new Promise((resolve) => server.close(resolve))
    const gone = await cli.run(['console'])
    expect([gone.code, gone.stderr]).toEqual([
      1,
      `assay: No server answers at ${address}; start one with \`assay serve --home ${cli.home}\`.\n`,
    ])
  })
})

describe('assay service', () => {
  const place = {
    env: {},
    userHome: '/home/ann',
    node: '/usr/bin/node',
    program: '/opt/assay/main.js',
    home: '/home/ann/my "data" 100%',
  }

  it('writes a unit of systemd that quotes its paths', () => {
    const unit = createUnit({ ...place, platform: 'linux' })
    expect(unit.file).toBe('/home/ann/.config/systemd/user/assay.service')
    expect(unit.text).toContain(
      'ExecStart="/usr/bin/node" "/opt/assay/main.js" "serve" "--home" "/home/ann/my \\"data\\" 100%%"',
    )
  })

  it('limits the memory that the C library keeps, as the image does', () => {
    const unit = createUnit({ ...place, platform: 'linux' })
    const image = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8')
    for (const setting of Object.entries(memorySettings).map((each) => each.join('='))) {
      expect(unit.text).toContain(`\nEnvironment=${setting}\n`)
      expect(image).toMatch(new RegExp(`^ENV .*\\b${setting}\\b`, 'm'))
    }
  })

  it('writes a property list of launchd', () => {
    const unit = createUnit({ ...place, platform: 'darwin', home: '/Users/ann/a & b' })
    expect(unit.file).toBe('/home/ann/Library/LaunchAgents/io.github.assay.serve.plist')
    expect(unit.text).toContain('<string>/Users/ann/a &amp; b</string>')
  })

  it('keeps a unit file that someone else wrote', () => {
    const { home } = openCommandLine()
    const unit = { ...createUnit({ ...place, platform: 'linux' }), file: join(home, 'units', 'assay.service') }
    expect([writeUnit(unit, false), writeUnit(unit, false)]).toEqual([true, false])
    writeFileSync(unit.file, '# mine')
    expect(() => writeUnit(unit, false)).toThrow('exists with other content')
    expect(writeUnit(unit, true)).toBe(true)
    expect(readFileSync(unit.file, 'utf8')).toBe(unit.text)
  })

  it('installs and removes, and prints what to run', async () => {
    if (process.platform === 'win32') return
    const { home } = openCommandLine()
    const user = join(home, 'user')
    mkdirSync(user)
    const cli = openCommandLine({ HOME: user })
    expect(await must(cli, 'service', 'install', '--print')).toContain(cli.home)
    expect(existsSync(join(user, '.config'))).toBe(false)
    expect(await must(cli, 'service', 'install')).toMatch(/systemctl --user enable|launchctl bootstrap/)
    expect(await must(cli, 'service', 'uninstall')).toMatch(/systemctl --user disable|launchctl bootout/)
    expect((await cli.run(['service', 'uninstall'])).stderr).toContain('no service is installed')
  })
})

// The one-way rule: a room imports only rooms that stand before it in this list.
const rooms = [
  'kernel',
  'runtime',
  'documents',
  'detectors',
  'connectors',
  'store',
  'audit',
  'operation',
  'access',
  'proposals',
  'telemetry',
  'findings',
  'sources',
  'custom-detectors',
  'scans',
  'imports',
  'cross-asset-checks',
  'glossary',
  'metrics',
  'engine',
  'query',
  'dashboards',
  'watches',
  'definitions',
  'mcp-install',
  'background',
]
const doors = ['mcp', 'http', 'cli']
const room = (names) => `^src/(${names.join('|')})/`
const onlyIn = (name, path, modules) => ({
  name,
  severity: 'error',
  from: { path: '^src/', pathNot: path },
  to: { path: `^node_modules/(${modules})/` },
})

module.exports = {
  forbidden: [
    ...rooms.map((name, index) => ({
      name: `${name}-looks-back-only`,
      severity: 'error',
      from: { path: room([name]) },
      to: { path: '^src/', pathNot: room(rooms.slice(0, index + 1)) },
    })),
    ...doors.map((name) => ({
      name: `${name}-is-a-door`,
      severity: 'error',
      from: { path: room([name]) },
      to: { path: ['^src/(app|main|generate)\\.ts$', room(doors.filter((other) => other !== name))] },
    })),
    {
      name: 'sample-stands-alone',
      severity: 'error',
      from: { path: '^src/sample/' },
      to: { path: '^src/', pathNot: '^src/(kernel|runtime|sample)/' },
    },
    {
      name: 'catalogue-before-doors',
      severity: 'error',
      from: { path: '^src/catalogue\\.ts$' },
      to: { path: ['^src/(app|main|generate)\\.ts$', room(doors)] },
    },
    {
      name: 'charts-stand-alone',
      severity: 'error',
      from: { path: '^src/charts/' },
      to: { path: '^src/', pathNot: '^src/charts/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'console-draws-charts-only',
      severity: 'error',
      from: { path: '^src/console/' },
      to: {
        path: '^src/',
        pathNot: '^src/(charts|console)/|^src/kernel/(?:csv|quoted-json|suggest|time-range|zone)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'view-draws-charts-only',
      severity: 'error',
      from: { path: '^src/view/' },
      to: { path: '^src/', pathNot: '^src/(charts|view)/|^src/kernel/csv\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'browser-rooms-are-bundled-only',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(charts|console|view)/' },
      to: { path: '^src/(charts|console|view)/' },
    },
    onlyIn('preact-only-in-the-browser', '^src/(charts|console|view)/', 'preact'),
    onlyIn('d3-only-in-charts', '^src/charts/', 'd3-[a-z-]+'),
    {
      // Its native module must not load while a thread is terminated.
      name: 'sqlite-loads-in-one-place',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/store/sqlite\\.ts$' },
      to: { path: '^node_modules/better-sqlite3/', dependencyTypesNot: ['type-only'] },
    },
    onlyIn('sql-only-in-stores', '(^src/store/|\\.store\\.ts$)', 'kysely|better-sqlite3'),
    onlyIn('pg-only-in-its-worker', '^src/store/postgres/(?:connection\\.worker|client-config|pipeline)\\.ts$', 'pg'),
    onlyIn('mcp-sdk-only-in-its-door', '^src/mcp/', '@modelcontextprotocol'),
    onlyIn('hono-only-in-its-door', '^src/http/', 'hono|@hono'),
    onlyIn('got-only-where-requests-leave', '^src/connectors/', 'got|request-filtering-agent'),
    {
      name: 'network-only-where-requests-come-and-go',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot:
          '^src/(connectors|sample)/|^src/http/(listen|sockets)\\.ts$|^src/background/served-answers\\.ts$|^src/doctor/machine\\.ts$|^src/cli/(output/pager|commands/dashboard)\\.ts$|^src/commands/browse\\.ts$',
      },
      to: {
        path: '^(node:)?(http|https|http2|net|tls|dgram|child_process)$|^node_modules/(undici|ws|axios|node-fetch)/',
        dependencyTypesNot: ['type-only'],
      },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, path: '^src/', pathNot: '\\.d\\.ts$' }, to: {} },
    {
      // The build puts the driver of PostgreSQL into the bundle, so it is not installed with the package.
      name: 'no-dev-dependencies',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(charts|console|view|store/postgres)/' },
      to: { dependencyTypes: ['npm-dev'], pathNot: '^node_modules/@types/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}

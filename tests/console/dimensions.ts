import { vi } from 'vitest'

// The build writes the dimensions into the scripts of the console.
vi.stubGlobal('DIMENSIONS', [
  { name: 'severity', label: 'Severity', filterKey: 'severities', values: ['CRITICAL', 'HIGH'] },
  { name: 'status', label: 'Status', filterKey: 'statuses', values: ['OPEN', 'RESOLVED'] },
  { name: 'container', label: 'Space', filterKey: 'containers' },
])

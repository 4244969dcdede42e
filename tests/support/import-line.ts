/** A line of an import. */
export const importLine = (key: string, more: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({
    asset: { key },
    detectorType: 'YARA',
    findingType: 'DROPPER',
    severity: 'HIGH',
    firstDetectedAt: '2026-10-01T08:00:00Z',
    ...more,
  })

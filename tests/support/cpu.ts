/** Processor time of this process so far, which other processes on the machine do not prolong. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/**
 * The release lines of Node.js that Assay is tested on, each with the first version that has what it needs (an agent for
 * proxies) and the day on which its maintenance ends, from the release schedule of Node.js.
 */
const lines = [
  { major: 22, minor: 21, endsOn: '2027-04-30' },
  { major: 24, minor: 5, endsOn: '2028-04-30' },
  { major: 26, minor: 0, endsOn: '2029-04-30' },
]

/** Why this version of Node.js cannot run Assay; undefined if it can. */
export function explainUnsupported(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const newest = Math.max(...lines.map((line) => line.major))
  const line = lines.find((each) => each.major === major)
  if (line === undefined ? major > newest : minor >= line.minor) return undefined
  const wanted = lines.map((each) => (each.minor === 0 ? each.major : `${each.major}.${each.minor}`))
  return `Assay needs Node.js ${wanted.slice(0, -1).join(', ')} or ${wanted.at(-1)}, or a later version of these lines; this is ${version}. Get one from https://nodejs.org.`
}

/** The last day of maintenance, `YYYY-MM-DD`; undefined for a line that Assay is not tested on. */
export const findEndOfLine = (version: string): string | undefined =>
  lines.find(({ major }) => version.startsWith(`${major}.`))?.endsOn

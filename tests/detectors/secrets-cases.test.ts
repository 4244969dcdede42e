import { describe, expect, it } from 'vitest'
import { detectText } from '../../src/detectors/detect-text.ts'
import { isLong } from '../support/long.ts'
import { type SecretCase, secretCases } from './secrets/cases.ts'

const languages = 'en de fr es it pt nl pl ru zh ja ko'.split(' ')
const moreLanguages = [...languages, 'sv', 'cs', 'tr']
/** A password before its label, after a verb, after "of …" or "for …", in quotes; phrases; two words and a dot. */
const proseForms = ['before', 'verb', 'of', 'quoted', 'phrase', 'dotted']
const vendors = (
  'firecrawl llamacloud together braintrust openai mongodb-atlas azure-function salesforce google-oauth alchemy ' +
  'apify dependency-track stackhawk ionic teamcity portainer spectral sonarcloud sourcegraph-cody segment ' +
  'bitbucket-data-center cosmo nats docker-swarm kubernetes-bootstrap npm-uuid new-relic-licence pixie ' +
  'new-relic-browser new-relic-admin new-relic-rest new-relic-insert new-relic-query teams tines zapier asana ' +
  'figma slack teamwork close courier pubnub flexport fleetbase nightfall bannerbear paystack pagarme ramp ' +
  'column square-application lob facebook-app instagram-app adobe github-ghs gitlab hugging-face posthog ' +
  'supabase postman pulumi cloudflare grafana'
).split(' ')
/** The groups that every topic has at least: its languages, or the forms, vendors or false alarms that it is about. */
const groupsOf: Readonly<Record<string, readonly string[]>> = {
  headings: moreLanguages,
  labels: moreLanguages,
  columns: moreLanguages,
  neighbours: moreLanguages,
  sentences: languages,
  pairs: languages,
  prose: proseForms.flatMap((form) => languages.map((language) => `${form}-${language}`)),
  'secret-key': ['en'],
  statements:
    'identified-by password-call secure-string psexec network-credential lookup-default parameter-default terraform'.split(
      ' ',
    ),
  tools: ['sql', 'windows', 'unix', 'defaults', 'typos', 'router'],
  bare: ['discord', 'mailchimp', 'ntlm', 'asrep', 'cisco', 'wrapped', 'otp', 'jwt'],
  vendors,
  kinds: ['ai', 'cloud', 'delivery', 'monitoring', 'work', 'payment', 'social', 'bodies'],
  'any-vendor': ['en', 'shapes', 'short', 'letters', 'uuid', 'slashes'],
  'false-alarms': 'empty-value your-noun digest anti-forgery vectors label-texts splices idioms'.split(' '),
}
/** False alarms of collected documents; `false-alarms` has the same classes with cases to be found. */
const onlyNegative = 'harmless'
const topics = [...new Set(secretCases.map(({ topic }) => topic))]
const groupNames = (topic: string) =>
  new Set(secretCases.filter((each) => each.topic === topic).map(({ group }) => group))

/** What is wrong with the findings of a case; nothing where they are the expected ones and no others. */
function findFault({ text, path, expected }: SecretCase): string | undefined {
  const { findings } = detectText({ id: 'case', text, path, types: ['SECRETS'] })
  const touches = (a: { start: number; end: number }, b: { start: number; end: number }) =>
    Math.min(a.end, b.end) - Math.max(a.start, b.start) >= 0.5 * Math.min(a.end - a.start, b.end - b.start)
  const missed = expected.filter((span) => !findings.some((finding) => touches(finding, span)))
  const extra = findings.filter((finding) => !expected.some((span) => touches(finding, span)))
  return missed.length + extra.length === 0 ? undefined : `${missed.length} missed, ${extra.length} too many: ${text}`
}

describe('test cases for secrets', () => {
  it.each(topics)('%s: secrets are found and look-alikes are not', (topic) => {
    const own = secretCases.filter((each) => each.topic === topic)
    const faults = own.filter((_, at) => isLong || at % 2 === 0).map(findFault)
    expect(faults.filter((fault) => fault !== undefined)).toEqual([])
  })

  it.each(topics)('%s has at least ten positive and ten negative cases for each language or group', (topic) => {
    const groups = [...groupNames(topic)].filter((group) => group !== onlyNegative)
    expect(groups).toEqual(expect.arrayContaining([...(groupsOf[topic] ?? [])]))
    for (const group of groups) {
      const cases = secretCases.filter((each) => each.topic === topic && each.group === group)
      const hits = cases.filter(({ expected }) => expected.length > 0).length
      expect(Math.min(hits, cases.length - hits), `${topic} ${group}`).toBeGreaterThanOrEqual(10)
    }
  })

  it('cover every topic', () => expect(topics.toSorted()).toEqual(Object.keys(groupsOf).sort()))
})

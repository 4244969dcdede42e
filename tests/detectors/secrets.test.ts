import { describe, expect, it } from 'vitest'
import { detectText } from '../../src/detectors/detect-text.ts'

/** Secrets are put together here, so that no scanner takes this file for a leak. */
const joined = (...pieces: string[]) => pieces.join('')
const letters = 'q7Kd2Zp9LxW4vTn8Rb3Ym6Hs1Fg5Jc0UaXeQiOwErTyPkDzMvBnGhSjLf'
const hex = '9f2c7be41d08a653f7c1e92b4d6a80359be1f4c7d20a6e83b5'
const base62 = (length: number) => letters.repeat(3).slice(0, length)
const hexOf = (length: number) => hex.repeat(3).slice(0, length)

function findSecrets(text: string, path?: string) {
  return detectText({ id: 'case', text, types: ['SECRETS'], path }).findings.map((finding) => {
    return { ...finding, value: text.slice(finding.start, finding.end) }
  })
}

describe('secrets that are found', () => {
  const hits: [name: string, text: string, type: string, value: string][] = [
    ...(
      [
        ['AWS_ACCESS_KEY', joined('AK', 'IA', 'Q3R7ZT5WPL2MNC4D')],
        ['GITHUB_TOKEN', joined('gh', 'p_', base62(36))],
        ['GITHUB_TOKEN', joined('github', '_pat_', base62(22), '_', base62(40))],
        ['GITLAB_TOKEN', joined('gl', 'pat-', base62(20))],
        ['SLACK_TOKEN', joined('xo', 'xb-', '730184562941-', '8401736295106-', base62(24))],
        ['STRIPE_KEY', joined('sk', '_live_', base62(24))],
        ['GOOGLE_OAUTH_SECRET', joined('GOC', 'SPX-', base62(28))],
        ['OPENAI_KEY', joined('sk-', 'proj-', base62(40), 'T3Blbk', 'FJ', base62(40))],
        ['ANTHROPIC_KEY', joined('sk-', 'ant-', 'api03-', base62(93), 'AA')],
        ['NPM_TOKEN', joined('np', 'm_', base62(36))],
        ['PYPI_TOKEN', joined('py', 'pi-', 'AgEIcHlwaS5vcmc', base62(60))],
        ['HUGGING_FACE_TOKEN', joined('h', 'f_', base62(90).replace(/\d/g, '').slice(0, 34))],
        ['DATABRICKS_TOKEN', joined('da', 'pi', hexOf(32))],
        ['VAULT_TOKEN', joined('hv', 's.', base62(60))],
        ['SHOPIFY_TOKEN', joined('shp', 'at_', hexOf(32))],
        ['ATLASSIAN_TOKEN', joined('ATA', 'TT3', base62(120))],
        ['SENDGRID_KEY', joined('SG', '.', base62(22), '.', base62(43))],
        ['GRAFANA_TOKEN', joined('gl', 'sa_', base62(32), '_', hexOf(8))],
        ['DIGITALOCEAN_TOKEN', joined('dop', '_v1_', hexOf(64))],
        ['POSTMAN_KEY', joined('PM', 'AK-', hexOf(24), '-', hexOf(34))],
        ['TELEGRAM_BOT_TOKEN', joined('730184562', ':A', 'A', base62(33))],
        ['AZURE_CLIENT_SECRET', joined('kT3', '8Q', '~', base62(34))],
      ] as const
    ).map(([type, value]): [string, string, string, string] => [
      `${type} in a sentence`,
      `use ${value} for it`,
      type,
      value,
    ]),
    [
      'a Slack webhook',
      joined('see https://hooks.', 'slack.com/services/T7Q2WK9LZ/B4RX8MNP1/', base62(24)),
      'SLACK_WEBHOOK',
      joined('hooks.', 'slack.com/services/T7Q2WK9LZ/B4RX8MNP1/', base62(24)),
    ],
    [
      'a connection string',
      `postgres://etl:${joined('b1tw', '5XgXzC')}@10.3.4.5:5432/dwh`,
      'CONNECTION_STRING',
      `postgres://etl:${joined('b1tw', '5XgXzC')}@10.3.4.5:5432`,
    ],
    [
      'an ODBC string',
      `Server=db1;Uid=etl;Pwd=${joined('b1tw', '5XgXzC')};Encrypt=yes`,
      'PASSWORD',
      joined('b1tw', '5XgXzC'),
    ],
    [
      'an address with credentials',
      `https://svc:${joined('9gri', '6HYb3')}@files.corp.test/x`,
      'URL_CREDENTIAL',
      `https://svc:${joined('9gri', '6HYb3')}@files.corp.test`,
    ],
    [
      'curl with a user',
      `curl -u ops:${joined('9gri', '6HYb3')} https://corp.test`,
      'BASIC_AUTH',
      `ops:${joined('9gri', '6HYb3')}`,
    ],
    ['a bearer header', `-H "Authorization: Bearer ${base62(44)}"`, 'BEARER_TOKEN', base62(44)],
    ['a bcrypt hash', joined('$2b', '$12$', base62(53)), 'PASSWORD_HASH', joined('$2b', '$12$', base62(53))],
    [
      'an Apache hash',
      joined('bob:$ap', 'r1$', 'k3Wq81Zx', '$', base62(22)),
      'PASSWORD_HASH',
      joined('$ap', 'r1$', 'k3Wq81Zx', '$', base62(22)),
    ],
    [
      'a vendor key without a mark',
      `const snykKey = "${joined('4f1c8a72-', '93be-', '4d05-', 'a6e7-', '0b5d29c3f814')}"`,
      'SNYK_TOKEN',
      joined('4f1c8a72-', '93be-', '4d05-', 'a6e7-', '0b5d29c3f814'),
    ],
  ]
  it.each(hits)('%s', (_name, text, type, value) => {
    expect(findSecrets(text)).toEqual([expect.objectContaining({ findingType: type, value })])
  })

  it('finds the whole of a private key, also with escaped line ends', () => {
    const body = `MII${base62(61)}`
    const key = ['-----BEGIN RSA PRIV', 'ATE KEY-----', body, body, `-----END RSA PRIV`]
    const plain = `${key[0]}${key[1]}\n${body}\n${body}\n${key[4]}ATE KEY-----`
    for (const text of [plain, plain.replaceAll('\n', '\\n')]) {
      expect(findSecrets(`key:\n${text}\n`)).toEqual([
        expect.objectContaining({ findingType: 'PRIVATE_KEY', value: text }),
      ])
    }
  })

  it('finds a JWT only if its header is valid', () => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const token = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: 'u-4711', exp: 4_000_000_000 })}.${base62(43)}`
    expect(findSecrets(`cookie ${token}`)).toEqual([expect.objectContaining({ findingType: 'JWT', value: token })])
    expect(
      findSecrets(`cookie ${part({ kid: 'some-key-id', typ: 'x' })}.${part({ subject: 'u-4711' })}.${base62(43)}`),
    ).toEqual([])
  })

  it('finds the values of a Kubernetes secret, regardless of the position of its kind', () => {
    const value = Buffer.from(joined('admin:', 'vK8mQz2pLw')).toString('base64')
    const manifest = `apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ndata:\n  login: ${value}\n`
    expect(findSecrets(manifest, 'secret.yaml')).toEqual([expect.objectContaining({ value })])
    expect(findSecrets(manifest.replace('kind: Secret', 'kind: ConfigMap').replace('login', 'file'))).toEqual([])
  })

  it('reports a weak password in a configuration file', () => {
    const line = `{"host": "sftp.corp.test", "user": "web", "password": "sunflower"}`
    expect(findSecrets(line, 'deploy/sftp.json')).toEqual([expect.objectContaining({ value: 'sunflower' })])
    expect(findSecrets(line)).toEqual([])
  })

  it('takes the name of an XML setting from the attribute before its value', () => {
    const value = joined('vK8', 'mQz2pLw')
    const setting = `<configuration><add key="DbPassword" value="${value}"/><add key="DbName" value="${value}"/></configuration>`
    expect(findSecrets(setting, 'web.config')).toEqual([expect.objectContaining({ value })])
  })

  it('uses the header of a cell as its context', () => {
    const value = joined('vK8', 'mQz2pLw')
    const csv = `host,password\ndb1,${value}\ndb2,n/a\n`
    expect(findSecrets(csv, 'logins.csv')).toEqual([expect.objectContaining({ value })])
  })
})

describe('text that only looks like a secret is not reported', () => {
  it.each([
    ['a masked token', joined('gh', 'p_', 'x'.repeat(36))],
    ['a published sample key', joined('AKIA', 'IOSFODNN7', 'EXAMPLE')],
    ['a token glued to a word', joined('word', 'gh', 'p_', base62(36))],
    ['a token of the wrong length', joined('da', 'pi', hexOf(30))],
    ['a key without a body', '-----BEGIN PRIVATE KEY-----\nxxx\n-----END PRIVATE KEY-----'],
  ])('%s', (_name, text) => {
    expect(findSecrets(`see ${text} there`)).toEqual([])
  })
})

it('reports a token with a wrong checksum with lower confidence', () => {
  const [finding] = findSecrets(`x ${joined('gh', 'p_', base62(36))} y`)
  expect(finding?.confidence).toBe(0.91)
})

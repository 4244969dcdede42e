import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0

export interface Certificate {
  keyFile: string
  certificateFile: string
  key: string
  cert: string
}

/** Makes a certificate for names such as `DNS:wiki.example.com`, signed by itself or by another one. */
export function makeCertificate(path: string, names: readonly string[], signer?: Certificate): Certificate {
  const [keyFile, certificateFile] = [`${path}.key`, `${path}.pem`]
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile]
  const signed = signer === undefined ? [] : ['-CA', signer.certificateFile, '-CAkey', signer.keyFile]
  const about = ['-days', '2', '-subj', '/CN=test', '-addext', `subjectAltName=${names.join(',')}`]
  execFileSync('openssl', ['req', '-x509', ...key, ...signed, '-out', certificateFile, ...about], { stdio: 'ignore' })
  return {
    ...{ keyFile, certificateFile },
    ...{ key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certificateFile, 'utf8') },
  }
}

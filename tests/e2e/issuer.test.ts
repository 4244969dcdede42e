import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeHome, serveAssay } from '../support/assay.ts'
import { audience, openIssuer, rsaKey, signToken } from '../support/issuer.ts'

const MAPPED = { 'Assay.Reader': 'read' }

test('assay serve merges a mapping from the environment, and an unresponsive issuer delays no other request', async () => {
  const key = rsaKey('first')
  const stranger = rsaKey('stranger')
  const issuer = await openIssuer([key])
  const { home, remove } = makeHome()
  const oidc = { issuer: issuer.address, audience: ['elsewhere'], scopeClaim: 'roles', scopes: MAPPED }
  writeFileSync(join(home, 'config.json'), JSON.stringify({ oidc }))
  const { url, stop } = await serveAssay(home, ['--no-background'], { ASSAY_OIDC_AUDIENCE: audience })
  const ask = async (token: string, path = '/semantic/metrics') => {
    const begun = performance.now()
    const reply = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })
    await reply.text()
    return { status: reply.status, ms: performance.now() - begun }
  }
  const reader = await signToken(issuer, key, { claims: { roles: ['Assay.Reader'], scope: 'admin' } })
  expect((await ask(reader)).status).toBe(200)
  expect((await ask(await signToken(issuer, key, { claims: { scope: 'admin' } }))).status).toBe(403)
  const certify = await fetch(`${url}/semantic/metrics/open-findings/certify`, {
    method: 'POST',
    body: '{}',
    headers: { authorization: `Bearer ${reader}`, 'content-type': 'application/json' },
  })
  expect(certify.status).toBe(403)

  issuer.answer = () => {}
  const junk = Promise.all(
    Array.from({ length: 9 }, async (_, n) => ask(await signToken(issuer, { ...stranger, id: `unknown-${n}` }))),
  )
  const times: number[] = []
  for (let n = 0; n < 9; n++) {
    const { status, ms } = await ask(reader)
    expect(status).toBe(200)
    times.push(ms)
  }
  expect(times.sort((a, b) => a - b)[4]).toBeLessThan(1000)
  for (const { status, ms } of await junk) {
    expect([401, 429]).toContain(status)
    expect(ms).toBeLessThan(5000)
  }
  await stop()
  issuer.close()
  remove()
}, 60_000)

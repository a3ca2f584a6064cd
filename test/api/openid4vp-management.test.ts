/** Verifiers and trusted issuers over HTTP. What succeeds at https only: test/interop/openid4vp-management.test.ts. */
import { expect, test } from 'vitest'
import { acme, api, expectError, expectInvalid, expectMalformed, globex } from '../support/api/scene.ts'
import { foreignCertificate } from '../support/calls/x509.ts'

const { token } = acme
const vcts = ['https://acme.example/degree']

test('a stage at http has no verifier, and says why', async () => {
  const message = 'a verifier needs a public URL (PUBLIC_URL) that begins with https'
  expectError(await api.post('/openid4vc/verifier', { token, body: {} }), 422, { message })
})

test.each(['', '.', '..a', '-a', 'a b', 'a/b', 'ä', 'a'.repeat(65)])(
  '%j is not an id of a verifier',
  async (verifierId) => {
    expectInvalid(await api.post('/openid4vc/verifier', { token, body: { verifierId } }), ['verifierId'])
  },
)

test('a change of a verifier names every invalid field, and is a 404 for an unknown one', async () => {
  const path = '/openid4vc/verifier/acme'
  const wrong = { haip: 'yes', registrationCertificate: 'a', verifierId: 'b' }
  expectInvalid(await api.ask('PUT', path, { token, body: wrong }), Object.keys(wrong))
  expectError(await api.ask('PUT', path, { token, body: {} }), 404, { message: 'there is no such record' })
})

test('a trusted issuer is made, listed and deleted, by its agent', async () => {
  const { certificate } = await foreignCertificate('Acme')
  const { status, body } = await api.post('/openid4vc/trusted-issuers', {
    token,
    body: { certificates: [certificate], vcts },
  })
  expect({ status, body }).toMatchObject({ status: 200, body: { certificates: [certificate], vcts } })
  const list = async (as: string) => (await api.get('/openid4vc/trusted-issuers', { token: as })).body
  expect(await list(token)).toContainEqual(body)
  expect(await list(globex.token)).not.toContainEqual(body)
  const path = `/openid4vc/trusted-issuers/${body.id}`
  expect((await api.delete(path, { token: globex.token })).status).toBe(404)
  expect((await api.delete(path, { token })).status).toBe(204)
  expect(await list(token)).not.toContainEqual(body)
})

test.each<[object, string[]]>([
  [{ vcts }, ['']],
  [{ vcts, issuer: 'https://issuer.example', certificates: ['AAAA'] }, ['']],
  [{ vcts: [], issuer: 'http://issuer.example', unknown: 1 }, ['vcts', 'issuer', 'unknown']],
])('a trusted issuer has certificates or an address, and types: %j', async (body, fields) => {
  expectInvalid(await api.post('/openid4vc/trusted-issuers', { token, body }), fields)
})

test('sessions are listed by known states only', async () => {
  expect((await api.get('/openid4vc/verification-sessions', { token })).body).toEqual([])
  expectMalformed(await api.get('/openid4vc/verification-sessions?state=Verified', { token }), 'query', ['state'])
  expectError(await api.get('/openid4vc/verification-sessions/unknown', { token }), 404, {
    message: 'there is no such record',
  })
})

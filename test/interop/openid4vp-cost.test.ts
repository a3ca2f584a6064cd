/** docs/cost.md on OpenID4VP, checked by a test: what a presentation consumes, with its events, and the bounds of its parts. */
import { deflateSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { documented, OPENID_PRESENTATION } from '../support/cost/document.ts'
import { expectUnits } from '../support/cost/expect-units.ts'
import { rawJwt, seconds } from '../support/openid/jwts.ts'
import {
  bindTo,
  encrypted,
  issueTo,
  newAuthority,
  newHolder,
  useVerifier,
  VCT,
} from '../support/openid/verification.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { ConsumedUnits, type Units } from '../support/table/consumed-units.ts'
import { startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'

const LIST = 'https://lists.example/1'
const authority = await newAuthority('Issuer')
vi.mock(import('../../lib/egress/follow.ts'), async (original) => ({
  ...(await original()),
  follow: async () => ({ status: 200, headers: {}, body: listJwt(), milliseconds: 1 }),
}))
const listJwt = () => {
  const status_list = { bits: 1, lst: deflateSync(Buffer.alloc(100)).toString('base64url') }
  const header = { alg: 'ES256', typ: 'statuslist+jwt', x5c: [authority.leaf] }
  return rawJwt(authority.leafKey, header, { sub: LIST, iat: seconds(), status_list })
}

const stage = await useStage({ delivers: false, embedded: true })
const consumed = new ConsumedUnits(stage.serviceClient)
const verifier = await useVerifier(stage)
const receiver = await stopAtEnd(startFaultyReceiver())
const holder = newHolder()
await verifier.done('createTrustedIssuer', { body: { certificates: [authority.root], vcts: [VCT] } })
await stage.call('registerWebhook', {
  path: { orgId: String(verifier.caller.tenantId) },
  body: { webhookUrl: `${receiver.url}/webhook` },
})

/** The example of the guide: one claim of a credential with a status list, by a phone. */
const QUERY = {
  credentials: [
    { id: 'identity', format: 'dc+sd-jwt', meta: { vct_values: [VCT] }, claims: [{ path: ['given_name'] }] },
  ],
}

const present = async (): Promise<Record<string, Units>> => {
  const parts: Record<string, Units> = {}
  const part = async <T>(name: string, act: () => Promise<T>): Promise<T> => {
    const { result, units } = await consumed.of(act)
    parts[name] = units
    return result
  }
  const body = { verifierId: verifier.verifierId, dcql: { query: QUERY } }
  const { verificationSession: session } = await part('request', () =>
    verifier.done('createPresentationRequest', { body }),
  )
  const request = await part('object', () => verifier.read(session))
  const status = { status_list: { uri: LIST, idx: 1 } }
  const presentation = bindTo(holder, await issueTo(holder, authority, { status }), request)
  const form = await encrypted(request, { vp_token: { identity: [presentation] }, state: request.payload.state })
  expect(await part('response', () => verifier.post(session, form))).toMatchObject({ status: 200 })
  expect(await verifier.now(session)).toMatchObject({ state: 'ResponseVerified', credentials: [{ status: 'valid' }] })
  return parts
}

test('a presentation and its events consume what the document says, and its parts no more than their bounds', async () => {
  // Items that a tenant makes once, and the endpoint's measured speed.
  await present()
  await stage.line.settle()
  const received = receiver.received.length
  const { result: parts, units } = await consumed.during(async () => {
    const measured = await present()
    await stage.line.settle()
    return measured
  })
  expect(receiver.received.length - received).toBe(3)
  for (const [name, most] of Object.entries({ request: 4, object: 4, response: 6 }))
    expect(parts[name]?.write, name).toBeLessThanOrEqual(most)
  const row = documented.get(OPENID_PRESENTATION)
  if (row === undefined) throw new Error(`docs/cost.md has no row of ${OPENID_PRESENTATION}`)
  expectUnits(units, row)
})

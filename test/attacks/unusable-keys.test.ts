/** Invitations with keys that are not points of the curve: nothing can be encrypted for them, and the request is invalid. */
import { randomBytes, randomUUID } from 'node:crypto'
import { DidKey, Kms } from '@credo-ts/core'
import { describe, expect, test } from 'vitest'
import { createTenant, offerBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { succeed } from '../support/tenants.ts'

const stage = await useStage({ delivers: false })
const caller = await createTenant(stage)

const isPoint = (key: Kms.PublicJwk<Kms.Ed25519PublicJwk>): boolean => {
  try {
    return key.convertTo(Kms.X25519PublicJwk) !== undefined
  } catch {
    return false
  }
}

/** About half of all texts of 32 bytes are not a valid key. */
const keyOf = (usable: boolean): string => {
  for (;;) {
    const publicKey = new Uint8Array(randomBytes(32))
    const key = Kms.PublicJwk.fromPublicKey({ kty: 'OKP', crv: 'Ed25519', publicKey })
    if (isPoint(key) === usable) return new DidKey(key).did
  }
}

const service = (keys: { recipient: boolean; routing?: boolean }) => ({
  id: '#inline',
  type: 'did-communication',
  serviceEndpoint: 'https://agent.example.org',
  recipientKeys: [keyOf(keys.recipient)],
  routingKeys: keys.routing === undefined ? [] : [keyOf(keys.routing)],
})

const peerDid = (usable: boolean): string => {
  const endpoint = { t: 'did-communication', s: 'https://agent.example.org', r: [], recipientKeys: ['#key-1'] }
  return `did:peer:2.V${keyOf(usable).slice('did:key:'.length)}.S${Buffer.from(JSON.stringify(endpoint)).toString('base64url')}`
}

const invitation = (one: unknown, more: object = {}) => ({
  '@type': 'https://didcomm.org/out-of-band/1.1/invitation',
  '@id': randomUUID(),
  handshake_protocols: ['https://didcomm.org/didexchange/1.1'],
  services: [one],
  ...more,
})

const receive = (given: object): Promise<{ status: number; body: Json }> =>
  stage.call('receiveInvitation', { caller, body: { invitation: given } })

const address = (given: object): string =>
  `https://agent.example.org?oob=${Buffer.from(JSON.stringify(given)).toString('base64url')}`

describe('an invitation is rejected', () => {
  test('whose recipient key is invalid', async () => {
    const { status, body } = await receive(invitation(service({ recipient: false })))
    expect([status, body.details]).toEqual([
      422,
      [{ path: 'invitation', message: 'must be an invitation that this agent can read' }],
    ])
  })

  test('whose recipient key is invalid, with the same message for a URL', async () => {
    const invitationUrl = address(invitation(service({ recipient: false })))
    const { status, body } = await stage.call('receiveInvitationUrl', { caller, body: { invitationUrl } })
    expect([status, body.details]).toEqual([
      422,
      [{ path: 'invitationUrl', message: 'must be an invitation that this agent can read' }],
    ])
  })

  test.each([
    ['whose routing key is invalid', () => service({ recipient: true, routing: false })],
    ['whose DID has a key that is invalid', () => peerDid(false)],
  ])('%s', async (_, make) => {
    const { status } = await receive(invitation(make()))
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(await succeed(stage, 'getConnections', caller)).toEqual([])
  })

  test('of the connections protocol, whose recipient key is invalid', async () => {
    const { recipientKeys, serviceEndpoint } = service({ recipient: false })
    const older = {
      '@type': 'https://didcomm.org/connections/1.0/invitation',
      '@id': randomUUID(),
      ...{ label: 'Mallory', recipientKeys, serviceEndpoint },
    }
    expect((await receive(older)).status).toBe(422)
  })
})

test('an offer without a connection whose answer can be encrypted for no key is not accepted', async () => {
  const made = await succeed(stage, 'createOfferOob', caller, {
    body: (({ connectionId: _, ...body }) => ({ ...body, handshake: false }))(offerBody('', 'did:example:holder')),
  })
  const { messageType: _, ...offered } = made.invitation
  const holder = await createTenant(stage)
  const given = { ...offered, '@id': randomUUID(), services: [service({ recipient: true, routing: false })] }
  const { status } = await stage.call('receiveInvitation', { caller: holder, body: { invitation: given } })
  const [offer] = await succeed(stage, 'getCredentials', holder)
  const accepted =
    offer && (await stage.call('acceptCredentialOffer', { caller: holder, body: { credentialRecordId: offer.id } }))
  const last = accepted?.status ?? status
  expect(last).toBeGreaterThanOrEqual(400)
  expect(last).toBeLessThan(500)
})

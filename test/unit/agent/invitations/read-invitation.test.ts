/** Invitations of other agents. */
import { didKeyToVerkey, Kms } from '@credo-ts/core'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { readInvitation } from '../../../../lib/agent/invitations/read-invitation.ts'
import { InvitationMessage, ServiceMessage } from '../../../../lib/records/invitation-message.ts'

const invitation = {
  '@type': 'https://didcomm.org/out-of-band/1.1/invitation',
  '@id': 'invitation-1',
  services: ['did:peer:2.service'],
}
const read = (more: object) => readInvitation({ ...invitation, ...more }, 'invitation').invitation

test.each([
  ['https://inviter.example/image.png', 'https://inviter.example/image.png'],
  ['http://localhost/image.png', undefined],
  ['data:image/png;base64,AAAA', undefined],
])('an image at %s is %s', (imageUrl, shown) => {
  expect(read({ imageUrl }).imageUrl).toBe(shown)
})

test('an inviter that names profiles names one that this agent has; an empty list is ignored', () => {
  expect(read({ accept: [] }).id).toBe('invitation-1')
  expect(read({ accept: ['didcomm/v2', 'didcomm/aip1'] }).accept).toEqual(['didcomm/v2', 'didcomm/aip1'])
  expect(() => read({ accept: ['didcomm/v2'] })).toThrow('request')
})

test.each([
  ['the neutral point', 1, true],
  ['no point', 2, false],
])('a key is a point of the curve: %s', (_, y, isRead) => {
  const publicKey = Uint8Array.from([y, ...new Uint8Array(31)])
  const { fingerprint } = Kms.PublicJwk.fromPublicKey({ kty: 'OKP', crv: 'Ed25519', publicKey })
  const service = { serviceEndpoint: 'https://inviter.example/didcomm', recipientKeys: [`did:key:${fingerprint}`] }
  const readIt = () => read({ services: [{ id: '#inline', type: 'did-communication', ...service }] })
  if (isRead) expect(readIt().getInlineServices()).toHaveLength(1)
  else expect(readIt).toThrow('request')
})

test('the answer to an older invitation is for the recipient, and is sent through its mediators', () => {
  const recipient = 'did:key:z6MkmM42vxfqZQsv4ehtTjFFxQ4sQKS2w6WR7emozFAn5cxu'
  const mediator = 'did:key:z6Mkj3PUd1WjvaDhNZhhhXQdz5UnZXmS7ehtx8bsPpD47kKc'
  const [recipientKeys, routingKeys] = [recipient, mediator].map((did) => [didKeyToVerkey(did)])
  const older = {
    '@type': 'https://didcomm.org/connections/1.0/invitation',
    ...{
      '@id': 'invitation-1',
      label: 'Inviter',
      serviceEndpoint: 'https://mediator.example',
      recipientKeys,
      routingKeys,
    },
  }
  const [service] = readInvitation(Object(older), 'invitation').invitation.getInlineServices()
  expect(service).toMatchObject({ recipientKeys: [recipient], routingKeys: [mediator] })
})

test.each([
  ['an invitation', (service: object) => ({ ...invitation, services: [service] })],
  ['an older one', (service: object) => ({ '@type': 'https://didcomm.org/connections/1.0/invitation', ...service })],
  ['a request', (service: object) => ({ '@type': 'https://didcomm.org/x/1.0/y', '~service': service })],
])('null is the same as no mediator: %s', (_, withService) => {
  const recipientKeys = ['did:key:z6MkmM42vxfqZQsv4ehtTjFFxQ4sQKS2w6WR7emozFAn5cxu']
  const service = { serviceEndpoint: 'https://inviter.example', recipientKeys, routingKeys: null }
  const message = v.parse(v.union([InvitationMessage, ServiceMessage]), {
    '@id': 'invitation-1',
    ...withService(service),
  })
  const [read] = readInvitation(message, 'invitation').invitation.getInlineServices()
  expect(read?.resolvedDidCommService.routingKeys).toEqual([])
})

test('of attached requests, which are alternatives, those that are not readable are left out, unless there are no others', () => {
  const [readable, link] = [{ data: { json: { '@type': 'x/1.0/y', '@id': 'request-1' } } }, { data: {} }]
  expect(read({ 'requests~attach': [link, readable] }).getRequests()).toMatchObject([{ '@id': 'request-1' }])
  expect(() => read({ 'requests~attach': [link, link] })).toThrow('request')
})

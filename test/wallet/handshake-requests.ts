/** Requests for a connection, made by hand: their sender may name any DID and any key. */
import { randomUUID } from 'node:crypto'
import { TypedArrayEncoder } from '@credo-ts/core'
import type { Route } from './raw-messages.ts'

export type RawKey = NonNullable<Route['senderKey']>

const base58 = (key: RawKey): string => TypedArrayEncoder.toBase58(key.publicKey.publicKey)

/** A did:peer:2 of keys and a service. https://identity.foundation/peer-did-method-spec/#method-2 */
export const peerDidWith = (keys: RawKey[], service: unknown): string => {
  const encoded = service === undefined ? '' : `.S${Buffer.from(JSON.stringify(service)).toString('base64url')}`
  return `did:peer:2${keys.map((key) => `.V${key.fingerprint}`).join('')}${encoded}`
}

/** A did:peer:2 whose keys are all recipient keys. */
export const peerDidOf = (keys: RawKey[], endpoint: string): string =>
  peerDidWith(keys, {
    t: 'did-communication',
    s: endpoint,
    recipientKeys: keys.map((_, n) => `#key-${n + 1}`),
    r: [],
    priority: 0,
  })

/** Aries RFC 0023. `invitation` is the parent thread. */
export const didExchangeRequest = (invitation: string, did: string) => ({
  '@type': 'https://didcomm.org/didexchange/1.1/request',
  '@id': randomUUID(),
  '~thread': { pthid: invitation },
  label: 'made by hand',
  did,
})

/** Aries RFC 0160: the document comes with it. */
export const connectionRequest = (invitation: string, keys: RawKey[], endpoint: string) => {
  const did = `did:sov:${randomUUID().replaceAll('-', '').slice(0, 21)}`
  return {
    '@type': 'https://didcomm.org/connections/1.0/request',
    '@id': randomUUID(),
    '~thread': { pthid: invitation },
    label: 'made by hand',
    connection: {
      DID: did,
      DIDDoc: {
        '@context': 'https://w3id.org/did/v1',
        id: did,
        publicKey: keys.map((key, n) => ({
          id: `${did}#${n}`,
          controller: did,
          type: 'Ed25519VerificationKey2018',
          publicKeyBase58: base58(key),
        })),
        authentication: keys.map((_, n) => ({
          type: 'Ed25519SignatureAuthentication2018',
          publicKey: `${did}#${n}`,
        })),
        service: [
          {
            id: `${did}#indy`,
            type: 'IndyAgent',
            priority: 0,
            recipientKeys: keys.map(base58),
            routingKeys: [],
            serviceEndpoint: endpoint,
          },
        ],
      },
    },
  }
}

/** The DID document of a wallet whose DID has no method (Aries RFC 0160, and 0023 at version 1.0). */
import {
  CredoError,
  createPeerDidDocumentFromServices,
  DidKey,
  didDocumentToNumAlgo4Did,
  IndyAgentService,
  Kms,
  TypedArrayEncoder,
} from '@credo-ts/core'
import type { DidDoc } from '@credo-ts/didcomm'
import { type Ed25519Key, keyOfVerkey } from './keys/ed25519-key.ts'
import { QUEUE } from './return-route.ts'

/**
 * Checks that a document belongs to its sender, and adds a queue if it has no service. Throws a CredoError if it has another recipient key: messages
 * packed with that key would be attributed to this wallet.
 */
export const assertOfSender = (document: DidDoc, senderKey: Ed25519Key): void => {
  const own = TypedArrayEncoder.toBase58(senderKey.publicKey.publicKey)
  const keyOf = (key: string) => document.publicKey.find(({ id }) => id.endsWith(key))?.value ?? key
  const services = document.didCommServices
  if (!document.publicKey.some(({ value }) => value === own)) throw new CredoError('the document lacks the sender key')
  if (services.some(({ recipientKeys }) => recipientKeys.some((key) => keyOf(key) !== own)))
    throw new CredoError('the document names a key that the message is not packed with')
  if (services.length === 0) document.service.push(queueService(document.id, own))
}

const queueService = (did: string, recipientKey: string): IndyAgentService =>
  new IndyAgentService({ id: `${did}#queue`, serviceEndpoint: QUEUE, recipientKeys: [recipientKey] })

/** Converts the document to a did:peer:4, which only this agent uses for the wallet. */
export const toPeerDid = (document: DidDoc, senderKey: Ed25519Key): string => {
  const services = document.didCommServices.map(({ serviceEndpoint, routingKeys = [] }, index) => ({
    id: `#didcomm-${index}`,
    serviceEndpoint,
    recipientKeys: [senderKey],
    routingKeys: routingKeys.map(toKey),
  }))
  return didDocumentToNumAlgo4Did(createPeerDidDocumentFromServices(services, false).didDocument).longFormDid
}

/** Routing keys are in base58, or are DIDs. */
const toKey = (key: string): Ed25519Key => {
  const parsed = key.startsWith('did:key:') ? DidKey.fromDid(key).publicJwk : keyOfVerkey(key)
  if (!parsed.is(Kms.Ed25519PublicJwk)) throw new CredoError('a routing key is of another kind than Ed25519')
  return parsed
}

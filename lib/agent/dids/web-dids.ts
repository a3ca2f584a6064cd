/**
 * The agent's did:web: its name and document. Credo resolves the method but does not create it.
 * https://w3c-ccg.github.io/did-method-web/
 */
import {
  DidCommV1Service,
  DidDocumentBuilder,
  getEd25519VerificationKey2018,
  getX25519KeyAgreementKey2019,
  Kms,
} from '@credo-ts/core'
import { AgentError, invalidField } from '../../errors.ts'
import { currentUnit } from '../../store/transaction.ts'
import { parseDomain } from '../../webvh/did.ts'
import { isOurWebDid, webDidOf } from '../../webvh/web-document.ts'
import { endpointOf } from '../credo/index.ts'
import type { OwnDid } from './own-dids.ts'

/**
 * The did:web of the caller's own domain, or by default the agent's at this service. Throws `request.invalid` for a
 * domain of this service.
 */
export const webDidFor = (domain: string | undefined): string => {
  if (domain === undefined) return webDidOf(currentUnit().tenant)
  const did = `did:web:${domain}`
  if (parseDomain(domain) === undefined) throw invalidField('domain', 'must be the domain of a DID')
  if (isOurWebDid(did))
    throw invalidField('domain', 'must not be the domain of this service, which serves the DID without a domain')
  return did
}

/**
 * The document of a did:web: an Ed25519 key for authentication, assertion and key agreement, and the agent's DIDComm
 * endpoint.
 */
export const webDid = (did: string, key: Kms.PublicJwk): OwnDid => {
  if (!key.is(Kms.Ed25519PublicJwk)) throw new AgentError('internal', 'a did:web must have an Ed25519 key')
  const [signing, agreement] = ['#key-1', '#key-2'].map((id) => `${did}${id}`) as [string, string]
  const didDocument = new DidDocumentBuilder(did)
    .addContext('https://w3id.org/security/suites/ed25519-2018/v1')
    .addContext('https://w3id.org/security/suites/x25519-2019/v1')
    .addVerificationMethod(getEd25519VerificationKey2018({ id: signing, publicJwk: key, controller: did }))
    .addVerificationMethod(
      getX25519KeyAgreementKey2019({
        id: agreement,
        publicJwk: key.convertTo(Kms.X25519PublicJwk),
        controller: did,
      }),
    )
    .addAuthentication(signing)
    .addAssertionMethod(signing)
    .addKeyAgreement(agreement)
    .addService(
      new DidCommV1Service({
        id: `${did}#didcomm`,
        priority: 0,
        recipientKeys: [signing],
        routingKeys: [],
        accept: ['didcomm/aip2;env=rfc19'],
        serviceEndpoint: endpointOf(currentUnit().tenant),
      }),
    )
    .build()
  const keys = ['#key-1', '#key-2'].map((id) => ({ didDocumentRelativeKeyId: id, kmsKeyId: key.keyId }))
  return { did, didDocument, stored: true, keys }
}

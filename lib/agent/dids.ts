/** The agent's own DIDs. */
import {
  createPeerDidDocumentFromServices,
  DidDocumentRole,
  type DidRecord,
  DidRepository,
  Kms,
  PeerDidNumAlgo,
  TypedArrayEncoder,
} from '@credo-ts/core'
import { type DidCommRouting, DidCommRoutingService } from '@credo-ts/didcomm'
import { AgentError } from '../errors.ts'
import { issuerDidAddress } from '../store/address.ts'
import { getItem, toKey } from '../store/table.ts'
import { currentUnit } from '../store/transaction.ts'
import { endpointOf, type TenantAgent } from './agent.ts'

const invalid = (path: string, message: string): AgentError =>
  new AgentError('request.invalid', 'the request breaks its schema', { details: [{ path, message }] })

/** A DID that this agent has made. `path` is the field that names it. Throws `request.invalid` for any other. */
export const ownDid = async (agent: TenantAgent, did: string, path: string): Promise<DidRecord> => {
  const [record] = await agent.context.resolve(DidRepository).getCreatedDids(agent.context, { did })
  if (record === undefined) throw invalid(path, 'is not a DID of this agent')
  return record
}

/** A fresh did:peer:2 that names the agent's endpoint. https://identity.foundation/peer-did-method-spec/#method-2 */
export const freshPeerDid = async (agent: TenantAgent): Promise<string> => {
  const routing = await agent.context.resolve(DidCommRoutingService).getRouting(agent.context)
  const { didDocument, keys } = createPeerDidDocumentFromServices(
    [
      {
        id: 'didcomm',
        recipientKeys: [routing.recipientKey],
        routingKeys: [],
        serviceEndpoint: endpointOf(currentUnit().tenant),
      },
    ],
    true,
  )
  return created(
    await agent.dids.create({
      method: 'peer',
      didDocument,
      options: { numAlgo: PeerDidNumAlgo.MultipleInceptionKeyWithoutDoc, keys },
    }),
  )
}

/** The did:key that the agent issues with unless the caller names another of its DIDs; made once. */
export const issuerDid = async (agent: TenantAgent): Promise<string> => {
  const unit = currentUnit()
  const address = issuerDidAddress(unit.tenant)
  const known = await unit.attempt(() => getItem(address))
  if (known?.did?.S !== undefined) return known.did.S
  const did = created(
    await agent.dids.create({ method: 'key', options: { createKey: { type: { kty: 'OKP', crv: 'Ed25519' } } } }),
  )
  unit.create({ ...toKey(address), kind: { S: 'issuer-did' }, did: { S: did } })
  return did
}

const created = ({ didState }: { didState: { did?: string; reason?: string } }): string => {
  if (didState.did === undefined) throw new AgentError('internal', `no DID was made: ${didState.reason}`)
  return didState.did
}

/** An agent's key, with the DID that it is a key of. */
export interface OwnKey {
  did: string
  routing: DidCommRouting
}

/**
 * The routing of an inline service with a key of this agent: `recipientKey` is an Ed25519 key as did:key, as fingerprint
 * (`z6Mk...`) or in base58. Throws `request.invalid` for a key that is not this agent's.
 */
export const ownKey = async (agent: TenantAgent, recipientKey: string): Promise<OwnKey> => {
  const key = parseKey(recipientKey)
  const record = await agent.context.resolve(DidRepository).findSingleByQuery(agent.context, {
    recipientKeyFingerprints: [key.fingerprint],
    role: DidDocumentRole.Created,
  })
  const keys = record?.keys ?? []
  const method = record?.didDocument?.findVerificationMethodByPublicKey(key)
  const kmsKeyId = keys.find(({ didDocumentRelativeKeyId }) => method?.id.endsWith(didDocumentRelativeKeyId))?.kmsKeyId
  if (record === null || kmsKeyId === undefined) throw invalid('recipientKey', 'is not a key of this agent')
  key.keyId = kmsKeyId
  return {
    did: record.did,
    routing: { endpoints: [endpointOf(currentUnit().tenant)], routingKeys: [], recipientKey: key },
  }
}

const parseKey = (text: string): Kms.PublicJwk<Kms.Ed25519PublicJwk> => {
  try {
    const fingerprint = text.replace(/^did:key:/, '')
    const key = fingerprint.startsWith('z6Mk')
      ? Kms.PublicJwk.fromFingerprint(fingerprint)
      : Kms.PublicJwk.fromPublicKey({
          kty: 'OKP',
          crv: 'Ed25519',
          publicKey: TypedArrayEncoder.fromBase58(fingerprint),
        })
    if (key.is(Kms.Ed25519PublicJwk)) return key
  } catch {
    // Not a key in any of the spellings.
  }
  throw invalid('recipientKey', 'is not an Ed25519 key as did:key, fingerprint or base58')
}

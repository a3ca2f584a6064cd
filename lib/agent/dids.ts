/** The agent's own DIDs. */
import { createPeerDidDocumentFromServices, DidDocumentRole, DidRepository, Kms, PeerDidNumAlgo } from '@credo-ts/core'
import { DidCommRoutingService } from '@credo-ts/didcomm'
import { AgentError, invalidField } from '../errors.ts'
import { defineItem } from '../store/item.ts'
import { text } from '../store/item-fields.ts'
import { issuerDidAddress } from '../store/keys.ts'
import { currentUnit } from '../store/transaction.ts'
import type { TenantAgent } from './agent.ts'
import { type Ed25519Key, KEY_BYTES, keyOfVerkey } from './keys/ed25519-key.ts'
import { findOwnDid, newKey, ownDidKey, saveOwnDid } from './own-dids.ts'
import { endpointOf } from './root-agent.ts'

/** Throws `request.invalid` unless this agent has made the DID. `path` is the field that names it. */
export const assertOwnDid = async (agent: TenantAgent, did: string, path: string): Promise<void> => {
  if ((await findOwnDid(agent, did)) === undefined) throw invalidField(path, 'is not a DID of this agent')
}

/** Throws `request.invalid` unless the DID is this agent's and others can reach the agent by it. */
export const assertReachableDid = async (agent: TenantAgent, did: string, path: string): Promise<void> => {
  await assertOwnDid(agent, did, path)
  const { didDocument } = await agent.dids.resolveCreatedDidDocumentWithKeys(did)
  if (didDocument.didCommServices.length === 0) throw invalidField(path, 'names no DIDComm service')
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

const issuerDidItem = defineItem('issuer-did', ({ tenant }: { tenant: string }) => issuerDidAddress(tenant), {
  did: text(),
})

/** The did:key that the agent issues with unless the caller names another of its DIDs; made once. */
export const issuerDid = async (agent: Pick<TenantAgent, 'context'>): Promise<string> => {
  const unit = currentUnit()
  const { tenant } = unit
  const known = await unit.load(issuerDidItem, { tenant })
  if (known !== undefined) return known.did
  const own = ownDidKey(await newKey(agent))
  const { did } = own
  await saveOwnDid(agent, own)
  unit.create(issuerDidItem.encode({ tenant, did }))
  return did
}

const created = ({ didState }: { didState: { did?: string; reason?: string } }): string => {
  if (didState.did === undefined) throw new AgentError('internal', `no DID was made: ${didState.reason}`)
  return didState.did
}

/**
 * The agent's DID that a key belongs to: an Ed25519 key as did:key, as fingerprint (`z6Mk...`) or in base58.
 * Throws `request.invalid` for a key that is not this agent's.
 */
export const didOfKey = async (agent: TenantAgent, recipientKey: string): Promise<string> => {
  const record = await agent.context.resolve(DidRepository).findSingleByQuery(agent.context, {
    recipientKeyFingerprints: [parseKey(recipientKey).fingerprint],
    role: DidDocumentRole.Created,
  })
  if (record === null) throw invalidField('recipientKey', 'is not a key of this agent')
  return record.did
}

/**
 * A key of this agent, as it is in an inline service: the agent has made it, whether it is in a DID yet or not. Throws `request.invalid` for
 * any other.
 */
export const ownKey = async (agent: TenantAgent, recipientKey: string): Promise<Ed25519Key> => {
  const key = parseKey(recipientKey)
  key.keyId = key.legacyKeyId
  const known = await agent.context
    .resolve(Kms.KeyManagementApi)
    .getPublicKey({ keyId: key.keyId })
    .catch(() => undefined)
  if (known === undefined) throw invalidField('recipientKey', 'is not a key of this agent')
  return key
}

const parseKey = (text: string): Ed25519Key => {
  try {
    const fingerprint = text.replace(/^did:key:/, '')
    const key = fingerprint.startsWith('z6Mk') ? Kms.PublicJwk.fromFingerprint(fingerprint) : keyOfVerkey(fingerprint)
    if (key.is(Kms.Ed25519PublicJwk) && key.publicKey.publicKey.length === KEY_BYTES) return key
  } catch {
    // Not a key in any of the spellings.
  }
  throw invalidField('recipientKey', 'is not an Ed25519 key as did:key, fingerprint or base58')
}

/** The agent's own DIDs. */
import { type BaseAgent, DidRepository, Kms } from '@credo-ts/core'
import { AgentError, invalidField } from '../../errors.ts'
import { currentUnit } from '../../store/transaction.ts'
import { endpointOf } from '../credo/index.ts'
import { type Ed25519Key, keyOfVerkey, ownAgreementKeyOf, sealedKeys } from '../keys/index.ts'
import { peerDidOf } from './did-of-key.ts'
import { issuerDidItem } from './issuer-did-item.ts'
import { findOwnDid, newKey, ownDidKey, saveOwnDid } from './own-dids.ts'
import type { Service } from './their-services.ts'

type Agent = Pick<BaseAgent, 'context' | 'dids'>

/** Throws `request.invalid` unless the DID was created by this agent. `path` is the field that names it. */
export const assertOwnDid = async (agent: Agent, did: string, path: string): Promise<void> => {
  if ((await findOwnDid(agent, did)) === undefined) throw invalidField(path, 'is not a DID of this agent')
}

/** Throws `request.invalid` unless the DID is this agent's and messages to it reach the agent. */
export const assertReachableDid = async (agent: Agent, did: string, path: string): Promise<void> => {
  await assertOwnDid(agent, did, path)
  const { didDocument } = await agent.dids.resolveCreatedDidDocumentWithKeys(did)
  if (didDocument.didCommServices.length === 0) throw invalidField(path, 'must be a DID with a DIDComm service')
}

/** Services of the DIDs that the running unit of work has created: they need not be resolved. */
const freshServices = () => currentUnit().moduleState(freshPeerDid, (): Map<string, Service> => new Map())

/** The service of such a DID. */
export const freshServiceOf = (did: string): Service | undefined => freshServices().get(did)

/** A new did:peer:2 with its own key and the agent's endpoint. */
export const freshPeerDid = async ({ context }: Pick<Agent, 'context'>): Promise<string> => {
  const key = await newKey({ context })
  const privateKey = await sealedKeys.get(context, key.keyId)
  if (privateKey === null || !key.is(Kms.Ed25519PublicJwk)) throw new AgentError('internal', 'the new key is missing')
  const serviceEndpoint = endpointOf(currentUnit().tenant)
  const did = peerDidOf(key, ownAgreementKeyOf(privateKey), serviceEndpoint)
  sealedKeys.addPurpose(context, key.keyId, { did: { did, createdAt: new Date().toISOString() } })
  freshServices().set(did, { id: `${did}#service`, recipientKeys: [key], routingKeys: [], serviceEndpoint })
  return did
}

/** The agent's default issuer DID, a did:key that is created once. */
export const issuerDid = async (agent: Pick<Agent, 'context'>): Promise<string> => {
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

/**
 * The agent's DID that has this Ed25519 key, given as did:key, fingerprint (`z6Mk...`) or base58. Throws
 * `request.invalid` for a key that is not this agent's.
 */
export const didOfKey = async (agent: Agent, recipientKey: string): Promise<string> => {
  const dids = agent.context.resolve(DidRepository)
  const record = await dids.findCreatedDidByRecipientKey(agent.context, parseKey(recipientKey))
  if (record === null) throw invalidField('recipientKey', 'is not a key of this agent')
  return record.did
}

/**
 * A key of this agent for an inline service, whether it is part of a DID or not. Throws `request.invalid` for any other
 * key.
 */
export const ownKey = async (agent: Agent, recipientKey: string): Promise<Ed25519Key> => {
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
    if (key.is(Kms.Ed25519PublicJwk)) return key
  } catch {
    // Not a key in any of these encodings.
  }
  throw invalidField('recipientKey', 'is not an Ed25519 key as did:key, fingerprint or base58')
}

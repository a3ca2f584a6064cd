/** Creates DIDs of methods that need no ledger. */
import {
  createPeerDidDocumentFromServices,
  DidJwk,
  type DidRecord,
  didDocumentToNumAlgo2Did,
  didDocumentToNumAlgo4Did,
  Kms,
  PeerDidResolver,
} from '@credo-ts/core'
import { AgentError, invalidField } from '../../errors.ts'
import { currentUnit } from '../../store/transaction.ts'
import { readWebvhLog } from '../../webvh/published.ts'
import { publishWebDocument } from '../../webvh/web-document.ts'
import { currentAgent, endpointOf, type TenantAgent } from '../credo/index.ts'
import {
  assertReachesNoOther,
  findOwnDid,
  type KeyType,
  keyOfSeed,
  newKey,
  type OwnDid,
  ownDidKey,
  saveOwnDid,
} from './own-dids.ts'
import { webDid, webDidFor } from './web-dids.ts'
import { makeWebvhDid, webvhIssuer } from './webvh-issuer.ts'

export interface NewDid {
  method: 'key' | 'jwk' | 'peer' | 'web' | 'webvh'
  keyType: KeyType
  seed?: string | undefined
  domain?: string | undefined
  numAlgo?: 2 | 4 | undefined
}

export interface CreatedDid {
  did: string
  didDocument: object
  didLog?: string
}

/**
 * Creates a DID in the running unit of work, or returns the existing one for a known seed or a method with one DID per agent. Throws
 * `request.invalid`, and `did.exists` if the DID exists with another key.
 */
export const writeDid = async ({ seed: givenSeed, domain: givenDomain, ...wish }: NewDid): Promise<CreatedDid> => {
  const seed = givenSeed || undefined
  const domain = givenDomain || undefined
  assertFits({ ...wish, seed, domain })
  const agent = await currentAgent()
  if (wish.method === 'webvh') return webvh(agent, domain)
  if (wish.method === 'web') return web(agent, { seed, domain })
  const key = seed === undefined ? await newKey(agent, wish.keyType) : await keyOfSeed(agent, seed)
  const own = await DIDS_OF_KEYS[wish.method](agent, key, wish)
  if (seed !== undefined && (await findOwnDid(agent, own.did)) !== undefined) return shown(own)
  if (seed !== undefined && wish.method === 'peer') await assertReachesNoOther(agent, own.did, key)
  await saveOwnDid(agent, own)
  return shown(own)
}

/** Checks which fields of the body go together; its schema does not. */
const assertFits = ({ method, keyType, seed, domain, numAlgo }: NewDid): void => {
  if (keyType !== 'ed25519' && method !== 'key' && method !== 'jwk')
    throw invalidField('keyType', `must be ed25519 for did:${method}`)
  if (seed !== undefined && keyType !== 'ed25519') throw invalidField('seed', 'is for keys of type ed25519')
  if (seed !== undefined && method === 'webvh') throw invalidField('seed', 'is not for did:webvh')
  if (domain !== undefined && method !== 'web' && method !== 'webvh')
    throw invalidField('domain', 'is for did:web and did:webvh')
  if (numAlgo !== undefined && method !== 'peer') throw invalidField('numAlgo', 'is for did:peer')
}

const shown = ({ did, didDocument }: Pick<OwnDid, 'did' | 'didDocument'>): CreatedDid => ({
  did,
  didDocument: didDocument.toJSON(),
})

type DidOfKey = (agent: TenantAgent, key: Kms.PublicJwk, wish: Pick<NewDid, 'numAlgo'>) => Promise<OwnDid>

/** DIDs that are derived from a key and resolve without any other data. */
const DIDS_OF_KEYS: Record<'key' | 'jwk' | 'peer', DidOfKey> = {
  key: async (_agent, key) => ownDidKey(key),
  jwk: async (_agent, key) => {
    const { did } = DidJwk.fromPublicJwk(key)
    const { didDocument } = DidJwk.fromDid(did)
    return { did, didDocument, keys: [{ didDocumentRelativeKeyId: '#0', kmsKeyId: key.keyId }] }
  },
  peer: async ({ context }, key, { numAlgo = 2 }) => {
    if (!key.is(Kms.Ed25519PublicJwk)) throw new AgentError('internal', 'a did:peer is of an Ed25519 key')
    const { didDocument, keys } = createPeerDidDocumentFromServices(
      [
        {
          // https://identity.foundation/peer-did-method-spec/#creating-a-did: ids in the document of method 4 are relative.
          id: '#didcomm',
          recipientKeys: [key],
          routingKeys: [],
          serviceEndpoint: endpointOf(currentUnit().tenant),
        },
      ],
      true,
    )
    const did =
      numAlgo === 2 ? didDocumentToNumAlgo2Did(didDocument) : didDocumentToNumAlgo4Did(didDocument).longFormDid
    const resolved = await new PeerDidResolver().resolve(context, did)
    if (resolved.didDocument === null) throw new AgentError('internal', 'a did:peer that was made does not resolve')
    return { did, didDocument: resolved.didDocument, keys }
  },
}

const webvh = async (agent: TenantAgent, domain: string | undefined): Promise<CreatedDid> => {
  if (domain !== undefined) {
    const { did, document, log } = await makeWebvhDid(agent, domain)
    return { did, didDocument: document, didLog: log }
  }
  const did = await webvhIssuer(agent)
  const published = await readWebvhLog(currentUnit(), currentUnit().tenant)
  return { did, didDocument: JSON.parse(published?.log.trim().split('\n').at(-1) ?? '{}').state }
}

/** Whether a stored DID was created with this key. */
const isMadeWith = ({ keys = [] }: DidRecord, key: Kms.PublicJwk): boolean =>
  (keys ?? []).some(({ kmsKeyId }) => kmsKeyId === key.keyId)

const web = async (agent: TenantAgent, { seed, domain }: Pick<NewDid, 'seed' | 'domain'>): Promise<CreatedDid> => {
  const did = webDidFor(domain)
  const known = await findOwnDid(agent, did)
  const key = seed === undefined ? undefined : await keyOfSeed(agent, seed)
  if (known?.didDocument !== undefined) {
    if (key !== undefined && !isMadeWith(known, key))
      throw new AgentError('did.exists', `the DID ${did} exists, with another key`)
    return shown({ did, didDocument: known.didDocument })
  }
  if (key !== undefined) await assertReachesNoOther(agent, did, key)
  const own = webDid(did, key ?? (await newKey(agent)))
  await saveOwnDid(agent, own)
  if (domain === undefined)
    publishWebDocument(currentUnit(), { did, document: JSON.stringify(own.didDocument.toJSON()) })
  return shown(own)
}

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
import type * as v from 'valibot'
import { AgentError, invalidField } from '../../errors.ts'
import type { CreateDid } from '../../interface/dids.ts'
import { currentUnit } from '../../store/transaction.ts'
import { readWebvhLog } from '../../webvh/published.ts'
import { publishWebDocument } from '../../webvh/web-document.ts'
import { currentAgent, endpointOf, type TenantAgent } from '../credo/index.ts'
import { assertKeyUnused, findOwnDid, keyOfSeed, newKey, type OwnDid, ownDidKey, saveOwnDid } from './own-dids.ts'
import { webDid, webDidFor } from './web-dids.ts'
import { createWebvhDidOf, webvhIssuer } from './webvh-issuer.ts'

type NewDid = v.InferOutput<typeof CreateDid.body>

interface CreatedDid {
  did: string
  didDocument: object
  didLog?: string
}

/**
 * Creates a DID in the running unit of work, or returns the existing one for a known seed or a method with one DID per
 * agent. Throws `request.invalid`, and `did.exists` if the DID exists with another key.
 */
export const writeDid = async ({
  seed: seedOrEmpty,
  domain: domainOrEmpty,
  ...options
}: NewDid): Promise<CreatedDid> => {
  const seed = seedOrEmpty || undefined
  // Normalized, because DIDs are compared as text: hosts are case-insensitive. A did:webvh has the port in this form,
  // also in the ids of its keys.
  const domain = domainOrEmpty?.replace(/^[^:]+/, (host) => host.toLowerCase().replace('%3a', '%3A')) || undefined
  assertFieldCombination({ ...options, seed, domain })
  const agent = await currentAgent()
  if (options.method === 'webvh') return webvh(agent, domain)
  if (options.method === 'web') return web(agent, { seed, domain })
  const key = seed === undefined ? await newKey(agent, options.keyType) : await keyOfSeed(agent, seed)
  const own = await DIDS_OF_KEYS[options.method](agent, key, options)
  if (seed !== undefined && (await findOwnDid(agent, own.did)) !== undefined) return toCreatedDid(own)
  if (seed !== undefined && options.method === 'peer') await assertKeyUnused(agent, own.did, key)
  await saveOwnDid(agent, own)
  return toCreatedDid(own)
}

/** Checks which fields of the body may be combined; its schema does not. */
const assertFieldCombination = ({ method, keyType, seed, domain, numAlgo }: NewDid): void => {
  if (keyType !== 'ed25519' && method !== 'key' && method !== 'jwk')
    throw invalidField('keyType', `must be ed25519 for did:${method}`)
  if (seed !== undefined && keyType !== 'ed25519')
    throw invalidField('seed', 'must be absent unless keyType is ed25519')
  if (seed !== undefined && method === 'webvh') throw invalidField('seed', 'must be absent for did:webvh')
  if (domain !== undefined && method !== 'web' && method !== 'webvh')
    throw invalidField('domain', 'must be absent unless method is web or webvh')
  if (numAlgo !== undefined && method !== 'peer') throw invalidField('numAlgo', 'must be absent unless method is peer')
}

const toCreatedDid = ({ did, didDocument }: Pick<OwnDid, 'did' | 'didDocument'>): CreatedDid => ({
  did,
  didDocument: didDocument.toJSON(),
})

type DidOfKey = (agent: TenantAgent, key: Kms.PublicJwk, options: Pick<NewDid, 'numAlgo'>) => Promise<OwnDid>

/** DIDs that are derived from a key and resolve without any other data. */
const DIDS_OF_KEYS: Record<'key' | 'jwk' | 'peer', DidOfKey> = {
  key: async (_agent, key) => ownDidKey(key),
  jwk: async (_agent, key) => {
    const { did } = DidJwk.fromPublicJwk(key)
    const { didDocument } = DidJwk.fromDid(did)
    return { did, didDocument, keys: [{ didDocumentRelativeKeyId: '#0', kmsKeyId: key.keyId }] }
  },
  peer: async ({ context }, key, { numAlgo = 2 }) => {
    if (!key.is(Kms.Ed25519PublicJwk)) throw new AgentError('internal', 'a did:peer must have an Ed25519 key')
    const { didDocument, keys } = createPeerDidDocumentFromServices(
      [
        {
          // https://identity.foundation/peer-did-method-spec/#creating-a-did: ids in the document of method 4 are
          // relative.
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
    if (resolved.didDocument === null) throw new AgentError('internal', 'a new did:peer does not resolve')
    return { did, didDocument: resolved.didDocument, keys }
  },
}

const webvh = async (agent: TenantAgent, domain: string | undefined): Promise<CreatedDid> => {
  if (domain !== undefined) {
    const { did, document, log } = await createWebvhDidOf(agent, domain)
    return { did, didDocument: document, didLog: log }
  }
  const did = await webvhIssuer(agent)
  const published = await readWebvhLog(currentUnit(), currentUnit().tenant)
  return { did, didDocument: JSON.parse(published?.log.trim().split('\n').at(-1) ?? '{}').state }
}

/** Whether a stored DID was created with this key. */
const isCreatedWith = ({ keys = [] }: DidRecord, key: Kms.PublicJwk): boolean =>
  keys.some(({ kmsKeyId }) => kmsKeyId === key.keyId)

const web = async (agent: TenantAgent, { seed, domain }: Pick<NewDid, 'seed' | 'domain'>): Promise<CreatedDid> => {
  const did = webDidFor(domain)
  const known = await findOwnDid(agent, did)
  const key = seed === undefined ? undefined : await keyOfSeed(agent, seed)
  if (known?.didDocument !== undefined) {
    if (key !== undefined && !isCreatedWith(known, key))
      throw new AgentError('did.exists', `the DID ${did} exists, with another key`)
    return toCreatedDid({ did, didDocument: known.didDocument })
  }
  if (key !== undefined) await assertKeyUnused(agent, did, key)
  const own = webDid(did, key ?? (await newKey(agent)))
  await saveOwnDid(agent, own)
  if (domain === undefined)
    publishWebDocument(currentUnit(), { did, document: JSON.stringify(own.didDocument.toJSON()) })
  return toCreatedDid(own)
}

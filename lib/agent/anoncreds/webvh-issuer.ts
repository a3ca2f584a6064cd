/** The did:webvh that an agent issues AnonCreds with: made once, its key in the agent's store, its log served by this service. */
import { DidDocument, DidDocumentRole, DidRecord, DidRepository, JsonTransformer, Kms } from '@credo-ts/core'
import { createDID, MultibaseEncoding, multibaseEncode, prepareDataForSigning } from 'didwebvh-ts'
import { currentUnit } from '../../store/transaction.ts'
import { locationOf } from '../../webvh/did.ts'
import { logIn, publishLog } from '../../webvh/published.ts'
import type { TenantAgent } from '../agent.ts'

/** What didwebvh-ts makes. Its own types can't be resolved by Node's rules. */
interface Created {
  did: string
  doc: object
  log: object[]
}

interface SigningInput {
  document: object
  proof: object
}

/** The DID of the agent's own; made by the first call. It is published when the running unit of work commits. */
export const webvhIssuer = async (agent: Pick<TenantAgent, 'context'>): Promise<string> => {
  const unit = currentUnit()
  const known = await logIn(unit, unit.tenant)
  if (known !== undefined) return known.did
  const kms = agent.context.resolve(Kms.KeyManagementApi)
  const { keyId, publicJwk } = await kms.createKey({ type: { kty: 'OKP', crv: 'Ed25519' } })
  const { did, doc, log } = await create(unit.tenant, {
    publicKeyMultibase: Kms.PublicJwk.fromPublicJwk(publicJwk).fingerprint,
    sign: async (data) => (await kms.sign({ keyId, algorithm: 'EdDSA', data })).signature,
    verify: async (signature, data) =>
      (await kms.verify({ key: { publicJwk }, algorithm: 'EdDSA', signature, data })).verified,
  })
  await agent.context.resolve(DidRepository).save(
    agent.context,
    new DidRecord({
      did,
      didDocument: JsonTransformer.fromJSON(doc, DidDocument),
      role: DidDocumentRole.Created,
      keys: [{ kmsKeyId: keyId, didDocumentRelativeKeyId: `#${Kms.PublicJwk.fromPublicJwk(publicJwk).fingerprint}` }],
    }),
  )
  publishLog(unit, { did, log: `${log.map((entry) => JSON.stringify(entry)).join('\n')}\n` })
  return did
}

interface Key {
  publicKeyMultibase: string
  sign: (data: Uint8Array) => Promise<Uint8Array>
  verify: (signature: Uint8Array, data: Uint8Array) => Promise<boolean>
}

/**
 * What Credo's own registrar makes is refused by other implementations: proofs name a key by its fragment, the DID asserts with its key, and
 * the key has no controller but the DID.
 */
const create = async (tenant: string, { publicKeyMultibase, sign, verify }: Key): Promise<Created> => {
  const { domain, path } = locationOf(tenant)
  const id = `${['did:webvh:{SCID}', domain, ...path].join(':')}#${publicKeyMultibase}`
  return createDID({
    domain,
    paths: path,
    updateKeys: [publicKeyMultibase],
    verificationMethods: [{ id, type: 'Multikey', publicKeyMultibase }],
    authentication: [],
    assertionMethod: [id],
    signer: {
      getVerificationMethodId: () => `did:key:${publicKeyMultibase}#${publicKeyMultibase}`,
      sign: async ({ document, proof }: SigningInput) => {
        const signature = await sign(await prepareDataForSigning(document, proof))
        return { proofValue: multibaseEncode(signature, MultibaseEncoding.BASE58_BTC) }
      },
    },
    verifier: { verify },
  })
}
